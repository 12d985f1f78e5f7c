import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

export interface Peak {
  bytes: number;
  processes: { bytes: number; command: string }[];
}

export interface MemoryWatch {
  stop(): Promise<Peak>;
}

const PAGE_BYTES = 4096;
const EVERY_MS = 20;

/** Watches a process group's resident memory. Shared memory counts for each process: an upper bound. */
export const watchMemory = (group: number): MemoryWatch => {
  let peak: Peak = { bytes: 0, processes: [] };
  let over = false;
  const watching = (async () => {
    while (!over) {
      const processes = await processesIn(group);
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

/** Living processes of a group, and the children of its leader, largest first. */
export const processesIn = async (group: number): Promise<Peak['processes']> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        // Format: "pid (name) state parent group …", where the name may contain spaces.
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
        const [, parent, itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // A PDF child has a process group of its own, so it is found by its parent.
        if (Number(itsGroup) !== group && Number(parent) !== group) return [];
        const [statm, command] = await Promise.all([
          readFile(`/proc/${pid}/statm`, 'utf8'),
          readFile(`/proc/${pid}/cmdline`, 'utf8'),
        ]);
        return [{ bytes: Number(statm.split(' ')[1]) * PAGE_BYTES, command: command.replaceAll('\0', ' ') }];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    }),
  );
  return found.flat().toSorted((a, b) => b.bytes - a.bytes);
};
