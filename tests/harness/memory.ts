import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface Peak {
  bytes: number;
  processes: { bytes: number; command: string }[];
}

interface MemoryWatch {
  stop(): Promise<Peak>;
}

const PAGE_BYTES = 4096;
const EVERY_MS = 20;

/** Watches the resident memory of a process and those below it. Shared memory counts for each: an upper bound. */
export const watchMemory = (root: number): MemoryWatch => {
  let peak: Peak = { bytes: 0, processes: [] };
  let over = false;
  const watching = (async () => {
    while (!over) {
      const processes = processesIn(root);
      const bytes = processes.reduce((sum, process) => sum + process.bytes, 0);
      if (bytes > peak.bytes) peak = { bytes, processes };
      await wait(EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      over = true;
      await watching;
      return peak;
    },
  };
};

/** Living processes below a process, with itself, largest first. A PDF child has a process group of its own. */
export const processesIn = (root: number): Peak['processes'] => {
  const found: Peak['processes'] = [];
  const look = (pid: number): void => {
    try {
      const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      found.push({ bytes: Number(resident) * PAGE_BYTES, command });
      childrenOf(pid).forEach(look);
    } catch (error) {
      // The process has ended meanwhile.
      if (!isMissing(error)) throw error;
    }
  };
  look(root);
  return found.toSorted((a, b) => b.bytes - a.bytes);
};

/** The kernel lists children by the thread that started them. Reading all of /proc costs a hundred times as much. */
const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** ESRCH: the process ended between opening and reading. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
