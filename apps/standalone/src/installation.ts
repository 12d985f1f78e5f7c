import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/v4';

/**
 * What one data folder's service keeps between starts: its own secrets, and the first institute and key that it
 * provisioned once. The demo and the provisioning CLI read it too, to find the service that runs here. 0600: it
 * holds a key in the clear.
 */
const Installation = z.object({
  tokens: z.object({ public: z.string(), grading: z.string(), control: z.string() }),
  actor_signing_key: z.string(),
  first_key: z.object({ institute_id: z.string(), api_key: z.string() }).nullable(),
  core_url: z.string().nullable(),
  base_url: z.string().nullable(),
});
export type Installation = z.infer<typeof Installation>;

const FILE = 'service.json';

const newSecret = (): string => randomBytes(32).toString('hex');

export const readInstallation = async (dataDir: string): Promise<Installation> => {
  await mkdir(dataDir, { recursive: true });
  try {
    return Installation.parse(JSON.parse(await readFile(join(dataDir, FILE), 'utf8')));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    const fresh: Installation = {
      tokens: { public: newSecret(), grading: newSecret(), control: newSecret() },
      actor_signing_key: newSecret(),
      first_key: null,
      core_url: null,
      base_url: null,
    };
    await writeInstallation(dataDir, fresh);
    return fresh;
  }
};

/** Whole or not at all: a start that dies here must not leave half a file. */
export const writeInstallation = async (dataDir: string, installation: Installation): Promise<void> => {
  const target = join(dataDir, FILE);
  const file = await open(`${target}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(installation, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${target}.new`, target);
};
