import { SingleBar } from 'cli-progress';

interface Progress {
  step(): void;
  stop(): void;
}

export const showProgress = (out: NodeJS.WriteStream, total: number): Progress =>
  out.isTTY ? bar(out, total) : lines(out, total);

const bar = (out: NodeJS.WriteStream, total: number): Progress => {
  const single = new SingleBar({
    stream: out,
    format: 'graded [{bar}] {value}/{total}  {duration_formatted}, {eta_formatted} to go',
    barsize: Math.max(10, Math.min(40, (out.columns ?? 80) - 50)),
    barCompleteChar: '=',
    barIncompleteChar: '-',
    hideCursor: true,
    fps: 5,
  });
  single.start(total, 0);
  return { step: () => single.increment(), stop: () => single.stop() };
};

const lines = (out: NodeJS.WriteStream, total: number): Progress => {
  let done = 0;
  let printedTenths = 0;
  return {
    step: () => {
      done += 1;
      const tenths = Math.floor((done / total) * 10);
      if (tenths > printedTenths) out.write(`graded ${done}/${total}\n`);
      printedTenths = tenths;
    },
    stop: () => {},
  };
};
