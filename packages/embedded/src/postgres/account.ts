/**
 * PostgreSQL refuses to run as root. Under root it runs as `nobody`, which owns the cluster's folder and must be able
 * to enter the folders of the binaries and of the cluster.
 */
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** Environment of PostgreSQL's programs. A fixed locale gives the same sort order on every machine. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Account of the operating system that runs the server; null: the account of this process. */
export type ServerAccount = { uid: number; gid: number } | null;

/**
 * @returns null when this process is not root
 * @throws Error when it is root and the system has no account `nobody`, or when the system does not list its account
 */
export const serverAccount = async (): Promise<ServerAccount> => {
  if (process.getuid?.() !== 0) {
    assertAccountIsListed();
    return null;
  }
  const entry = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = entry?.split(':') ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'PostgreSQL does not run as root and this system has no account "nobody": start as an ordinary user, or set DATABASE_URL',
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
};

/** initdb and the server look up the name of their account. */
const assertAccountIsListed = (): void => {
  try {
    userInfo();
  } catch {
    throw new Error(
      `PostgreSQL needs an account with a name, and the system lists none for user id ${process.getuid?.()}: start as another user, or set DATABASE_URL`,
    );
  }
};

/** The outermost folder on the way to `path` (inclusive) that `account` may not enter, or null. */
export const blockingFolder = async (account: ServerAccount, path: string): Promise<string | null> => {
  if (account === null) return null;
  const folders: string[] = [];
  for (let folder = path; folders[0] !== folder; folder = dirname(folder)) folders.unshift(folder);
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const searchable = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & searchable) === 0) return folder;
  }
  return null;
};
