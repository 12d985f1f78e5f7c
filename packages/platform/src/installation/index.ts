import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/v4';

/**
 * State of the service in one data folder: its secrets, its last addresses, and the first institute, API key and
 * admin of the desk. The service writes the file; the demo and the admin CLI read it to find the local service. File
 * mode 0600, because it holds an API key and a password in plain text.
 */
const Installation = z.object({
  tokens: z.object({ public: z.string(), grading: z.string(), control: z.string() }),
  actor_signing_key: z.string(),
  first_key: z.object({ institute_id: z.string(), api_key: z.string() }).nullable(),
  /** The first admin; `url` is null while no desk has run. */
  desk: z.object({ url: z.string().nullable(), email: z.string(), password: z.string() }).nullable(),
  /** Null before the first start. Kept after a stop, so the address may be dead. */
  core_url: z.string().nullable(),
  base_url: z.string().nullable(),
});
export type Installation = z.infer<typeof Installation>;

const FILE = 'service.json';

export const installationFile = (dataDir: string): string => join(dataDir, FILE);

/** The file exists but has another content. The message names the file and never quotes it. */
export class InstallationError extends Error {
  constructor(file: string) {
    super(`${file} is not readable as the service's own file. Restore it, or use another DATA_DIR.`);
    this.name = 'InstallationError';
  }
}

/** Reads the installation of a data folder; null when no service was started on it. @throws InstallationError */
export const findInstallation = async (dataDir: string): Promise<Installation | null> => {
  const file = installationFile(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    return Installation.parse(JSON.parse(text));
  } catch {
    throw new InstallationError(file);
  }
};

const newSecret = (): string => randomBytes(32).toString('hex');

/** Reads the installation of a data folder, or creates it with new secrets. @throws InstallationError */
export const openInstallation = async (dataDir: string): Promise<Installation> => {
  const existing = await findInstallation(dataDir);
  if (existing !== null) return existing;
  const fresh: Installation = {
    tokens: { public: newSecret(), grading: newSecret(), control: newSecret() },
    actor_signing_key: newSecret(),
    first_key: null,
    desk: null,
    core_url: null,
    base_url: null,
  };
  await mkdir(dataDir, { recursive: true });
  await writeInstallation(dataDir, fresh);
  return fresh;
};

/** Writes a draft and renames it, so that a crash leaves the old file or the new one. */
export const writeInstallation = async (dataDir: string, installation: Installation): Promise<void> => {
  const target = installationFile(dataDir);
  const text = `${JSON.stringify(installation, null, 2)}\n`;
  await writeFile(`${target}.new`, text, { mode: 0o600, flush: true });
  await rename(`${target}.new`, target);
};
