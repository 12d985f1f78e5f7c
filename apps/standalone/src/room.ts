import { access, constants, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';

/** An empty cluster takes 50 MB, and a copy with its page pictures up to 100 MB while it is graded. */
const LEAST_BYTES = 200_000_000;

/**
 * Fails the start early if the data folder or the temporary folder cannot be written, or has too little room.
 * @throws Error that says what to do
 */
export const assertRoom = async (dataDir: string): Promise<void> => {
  await assertRoomBelow(resolve(dataDir), 'DATA_DIR');
  await assertRoomBelow(tmpdir(), 'TMPDIR');
};

const assertRoomBelow = async (folder: string, setting: string): Promise<void> => {
  const existing = await nearestExisting(folder);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    throw new Error(
      `${setting}: this account may not write to ${existing}; set ${setting} to a folder of its own`,
    );
  }
  const { bavail, bsize } = await statfs(existing);
  if (bavail * bsize < LEAST_BYTES)
    throw new Error(
      `${setting}: the disk of ${existing} has ${Math.floor((bavail * bsize) / 1e6)} MB free, and the service needs ${LEAST_BYTES / 1e6} MB; ` +
        `free some, or set ${setting} to a folder on another disk`,
    );
};

const nearestExisting = async (folder: string): Promise<string> => {
  for (let path = folder; ; path = dirname(path)) {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists || path === dirname(path)) return path;
  }
};
