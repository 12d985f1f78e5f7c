import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Closes `opened` after the tests of a file, the latest first. Call it at the top level of the test file. */
export const closedAfterTests = <T extends { close(): unknown }>(opened: T): T => {
  afterAll(async () => {
    await opened.close();
  });
  return opened;
};

/** A new folder, deleted after the tests of a file. Call it at the top level of the test file. */
export const folderForTests = async (prefix: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // PostgreSQL runs under another account when the tests run as root.
  await chmod(folder, 0o711);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
};
