import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Vitest's global setup: names the folder of shared bundles, if the whole suite runs (`bundles.ts`). */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const [, ...given] = process.argv.slice(2);
  if (given.some((argument) => !argument.startsWith('-'))) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'evaluation-bundles-'));
  await chmod(folder, 0o755);
  process.env['TEST_BUNDLES'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
