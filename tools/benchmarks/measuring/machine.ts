import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** The machine in one line, with its load at the start: wall times of a busy machine say little. */
export const machine = (): string => {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `${availableParallelism()} × ${cpu?.model ?? 'unknown CPU'}`,
    `${memory} GB`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `load ${loadavg()[0]?.toFixed(1) ?? '?'} at the start`,
  ].join(', ');
};
