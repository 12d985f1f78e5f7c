/**
 * A data folder belongs to at most one living Node process. State: `owner.json`, which names that process by pid and
 * start mark. Only the owner writes below the folder. After the owner's death its mark matches no living process, and
 * the next start takes the folder over.
 */
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, processMark } from './processes.ts';

/** Another living process owns the data folder; two servers on one folder would corrupt each other's files. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

interface DataFolder {
  path: string;
  release(): Promise<void>;
}

/**
 * Creates the folder if it is missing and claims it for this process.
 * @throws DataFolderInUse when a living process (this one included) owns it
 */
export const claimDataFolder = async (dataDir: string): Promise<DataFolder> => {
  await mkdir(dataDir, { recursive: true });
  // The resolved path: leftover servers are found by the path in their command line.
  const path = await realpath(dataDir);
  const file = join(path, 'owner.json');
  const mine = JSON.stringify({
    pid: process.pid,
    mark: await processMark(process.pid),
    claim: randomBytes(8).toString('hex'),
  });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    while (!(await linkUnlessPresent(draft, file))) {
      const holder = await readOrNull(file);
      if (holder === null) continue;
      const pid = await livingOwner(holder);
      if (pid !== null)
        throw new DataFolderInUse(`${path} is in use by process ${pid}; stop that process first`);
      await discardDeadClaim(file, holder);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return {
    path,
    release: async () => {
      if ((await readOrNull(file)) === mine) await rm(file, { force: true });
    },
  };
};

/** Claims the folder as soon as no other living process owns it. @throws DataFolderInUse after two minutes */
export const waitForDataFolder = async (dataDir: string): Promise<DataFolder> => {
  const deadline = performance.now() + 120_000;
  for (;;) {
    try {
      return await claimDataFolder(dataDir);
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
};

/** Moves a dead owner's claim aside; a newer claim by another start is put back. */
const discardDeadClaim = async (file: string, dead: string): Promise<void> => {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  if ((await readOrNull(aside)) !== dead) await linkUnlessPresent(aside, file);
  await rm(aside, { force: true });
};

/** `link` creates the file atomically with its whole content and never replaces an existing one. */
const linkUnlessPresent = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
};

const livingOwner = async (content: string): Promise<number | null> => {
  try {
    const owner: unknown = JSON.parse(content);
    if (typeof owner !== 'object' || owner === null || !('pid' in owner) || !('mark' in owner)) return null;
    if (typeof owner.pid !== 'number' || typeof owner.mark !== 'string') return null;
    return (await processMark(owner.pid)) === owner.mark ? owner.pid : null;
  } catch {
    return null;
  }
};

export const readOrNull = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
};

/**
 * Returns the random secret kept in `file`, readable by its owner only; the first call creates it.
 * The secret is written to a draft and renamed, so that a crash leaves no half-written secret.
 */
export const keptSecret = async (file: string, bytes = 24): Promise<string> => {
  const kept = await readOrNull(file);
  if (kept !== null && kept.trim() !== '') {
    await chmod(file, 0o600);
    return kept.trim();
  }
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, randomBytes(bytes).toString('base64url'), { mode: 0o600, flush: true });
  await rename(draft, file);
  return keptSecret(file, bytes);
};

/** Makes new and renamed entries of a folder survive a crash of the machine. */
export const syncFolder = async (folder: string): Promise<void> => {
  await using handle = await open(folder, 'r');
  await handle.sync();
};
