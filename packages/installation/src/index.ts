import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/v4';

/**
 * What one data folder's service keeps between starts: its own secrets, where it was last reached, and the first
 * institute and key that it provisioned once. The service writes it; the demo and the provisioning CLI read it, to
 * find the service that runs here. 0600: it holds a key in the clear.
 */
const Installation = z.object({
  tokens: z.object({ public: z.string(), grading: z.string(), control: z.string() }),
  actor_signing_key: z.string(),
  first_key: z.object({ institute_id: z.string(), api_key: z.string() }).nullable(),
  /** Null until a service was ready once. Kept when it stops: an address here does not mean that one answers. */
  core_url: z.string().nullable(),
  base_url: z.string().nullable(),
});
export type Installation = z.infer<typeof Installation>;

const FILE = 'service.json';

/** Where the installation of a data folder is written. */
export const installationFile = (dataDir: string): string => join(dataDir, FILE);

/** The file is there and is not what a service wrote. The message names the file, never what stands in it. */
export class InstallationError extends Error {
  constructor(file: string) {
    super(`${file} is not readable as the service's own file. Restore it, or use another DATA_DIR.`);
    this.name = 'InstallationError';
  }
}

/**
 * The installation of a data folder; null where no service was ever started on it. Touches nothing.
 * @throws InstallationError
 */
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

/** The installation of a data folder, with new secrets where there is none yet. @throws InstallationError */
export const openInstallation = async (dataDir: string): Promise<Installation> => {
  const existing = await findInstallation(dataDir);
  if (existing !== null) return existing;
  const fresh: Installation = {
    tokens: { public: newSecret(), grading: newSecret(), control: newSecret() },
    actor_signing_key: newSecret(),
    first_key: null,
    core_url: null,
    base_url: null,
  };
  await mkdir(dataDir, { recursive: true });
  await writeInstallation(dataDir, fresh);
  return fresh;
};

/** Whole or not at all: a start that dies here must not leave half a file. */
export const writeInstallation = async (dataDir: string, installation: Installation): Promise<void> => {
  const target = installationFile(dataDir);
  const file = await open(`${target}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(installation, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${target}.new`, target);
};
