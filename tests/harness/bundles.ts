import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ImageName } from '@evaluation/bundle';

/*
 * Bundles that several test files share. A program starts from its bundle with half the CPU time that it needs from the
 * sources.
 */

/**
 * Folder for the bundles of a whole test run. Undefined when single test files run: their programs start from the
 * sources, so that stack traces name lines of the sources.
 */
export const RUN_BUNDLES = process.env['TEST_BUNDLES'];

const MADE_MS = 60_000;
const LOOK_MS = 50;

/**
 * Bundles an image into FOLDER/NAME, unless another process has done so or is doing it.
 * @returns the folder of the bundle, when it is complete
 */
export const sharedBundle = async (folder: string, name: ImageName): Promise<string> => {
  const made = join(folder, name);
  const completeFile = `${made}.complete`;
  if (existsSync(completeFile)) return made;
  await mkdir(folder, { recursive: true });
  const isOurs = await mkdir(`${made}.begun`).then(
    () => true,
    () => false,
  );
  if (isOurs) {
    // The bundler and Vite are loaded by this process alone.
    if (name === 'desk') await (await import('@evaluation/desk/build')).buildPage(() => {});
    await (await import('@evaluation/bundle')).bundle(name, made);
    await writeFile(completeFile, '');
    return made;
  }
  const deadline = performance.now() + MADE_MS;
  while (!existsSync(completeFile)) {
    if (performance.now() > deadline) throw new Error(`another test did not complete the bundle of ${name}`);
    await wait(LOOK_MS);
  }
  return made;
};
