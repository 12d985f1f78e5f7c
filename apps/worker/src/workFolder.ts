import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^answer-evaluation-(\d+)-/;

/** Gives `work` a temporary folder and removes it afterwards, also after an error, because it holds answers. */
export const inWorkFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), `answer-evaluation-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** @throws Error that names the temporary folder if no file can be written there */
export const checkWorkFolder = async (): Promise<void> => {
  try {
    await inWorkFolder((folder) => writeFile(join(folder, 'check'), 'writable'));
  } catch (error) {
    throw new Error(`the temporary folder ${tmpdir()} cannot be written (set TMPDIR, or mount one)`, {
      cause: error,
    });
  }
};

/**
 * In a container a restarted process often has the pid of its predecessor: until the first call, folders with this pid
 * are abandoned ones.
 */
let hasBegun = false;

export const removeAbandonedFolders = async (): Promise<void> => {
  const isFirst = !hasBegun;
  hasBegun = true;
  // A folder that cannot be read is named by `checkWorkFolder`.
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const isOurs = Number(pid) === process.pid;
    if (isOurs ? !isFirst : isAlive(Number(pid))) continue;
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
