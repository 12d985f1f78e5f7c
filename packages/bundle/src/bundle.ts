import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyPackage } from './copyPackage.ts';
import { filesBesideCode } from './filesBesideCode.ts';
import { images, type Image, type ImageName } from './images.ts';
import { licencesOf } from './licences.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** Asked for inside a try, and not there: a native driver that we do not use. */
const NEVER_THERE = ['pg-native'];

/**
 * Makes the folder of one image (issue of the images: bundled, without development dependencies): `main.js`, the parts
 * that it loads later, `node_modules` with the few packages that cannot be bundled, and the licences of the rest.
 * The folder needs Node and nothing else, wherever it is put.
 *
 * @param folder is emptied first
 */
export const bundle = async (name: ImageName, folder: string): Promise<void> => {
  const { programs, packages, folders }: Image = images[name];
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const build = await rolldown({
    cwd: root,
    input: { ...programs },
    platform: 'node',
    external: [...packages.map((copied) => new RegExp(`^${copied.name}(?:/|$)`)), ...NEVER_THERE],
    plugins: [filesBesideCode()],
    onLog: (level, { message }) => {
      // A module that is not found would otherwise be found missing by whoever starts the image.
      if (level === 'warn') throw new Error(`the bundle of ${name}: ${message}`);
    },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    const bundled = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    await writeFile(join(folder, 'LICENSES.txt'), await licencesOf(bundled));
  } finally {
    await build.close();
  }

  for (const copied of packages) await copyPackage(root, folder, copied);
  for (const [as, path] of Object.entries(folders))
    await cp(join(root, path), join(folder, as), { recursive: true });
  // Node reads .js as ESM, and nobody takes the folder for a package of ours.
  const manifest = { name: `answer-evaluation-${name}`, private: true, type: 'module' };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest)}\n`);
};

/** Bytes of all files below a folder. */
export const bytesBelow = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};
