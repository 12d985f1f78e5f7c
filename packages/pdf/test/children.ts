import { execFileSync } from 'node:child_process';

/** The running PDF children of a process. */
export const childrenOf = (parentPid: number): { pid: number; group: number }[] => {
  return execFileSync('ps', ['-eo', 'pid=,pgid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((row) => row.includes('child/main.ts'))
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, , parent]) => parent === parentPid)
    .map(([pid = 0, group = 0]) => ({ pid, group }));
};

export const pidsOf = (parentPid: number): number[] => childrenOf(parentPid).map(({ pid }) => pid);
