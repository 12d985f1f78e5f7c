/** CPU time of processes, from /proc (Linux). Ticks last 10 ms, so measure work of a second or more. */
import { readdir, readFile } from 'node:fs/promises';

const MS_PER_TICK = 10;

const statOf = async (pid: number): Promise<string[]> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may contain spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const cpuOf = async (pid: number): Promise<number> => {
  const fields = await statOf(pid);
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * MS_PER_TICK;
};

/** CPU milliseconds of a process and of its children, alive or ended. */
const cpuOfTree = async (root: number): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(async (pid) => Number((await statOf(pid))[1])));
  const children = pids.filter((_, at) => parents[at] === root);
  const all = await Promise.all([root, ...children].map(cpuOf));
  return all.reduce((sum, each) => sum + each, 0);
};

/** Processes by part of the service or of a peer. */
export type Parts = Readonly<Record<string, number>>;

export const cpuOfParts = async (parts: Parts): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(parts).map(async ([part, pid]) => [part, await cpuOfTree(pid)] as const),
    ),
  );
