import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^answer-evaluation-(\d+)-/;

/** Gives `work` a folder of its own and removes it afterwards, whatever happens: answers do not lie about. */
export const inWorkFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), `answer-evaluation-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** In a container a restarted process often has the pid of the one before: until it has begun, its folders are not its. */
let hasBegun = false;

/** Removes the folders of workers that were killed; called when a worker starts. */
export const removeAbandonedFolders = async (): Promise<void> => {
  const isFirst = !hasBegun;
  hasBegun = true;
  for (const name of await readdir(tmpdir())) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const isOurs = Number(pid) === process.pid;
    if (isOurs ? !isFirst : isAlive(Number(pid))) continue;
    // Another user's folder stays: it is not ours to remove.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
