import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyPackage } from './copyPackage.ts';
import { filesBesideCode } from './filesBesideCode.ts';
import { images, type Image, type ImageName } from './images.ts';
import { licencesOf } from './licences.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Optional native driver of `pg`, imported inside a try and not installed. */
const NEVER_THERE = ['pg-native'];

/**
 * Writes the folder of one image: `main.js` and its chunks, `node_modules` with the packages that cannot be bundled,
 * and the licences of the bundled ones. The folder runs with Node alone and can be moved.
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
      // A missing module must fail the bundle, not the start of the image.
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
  const manifest = { name: `answer-evaluation-${name}`, private: true, type: 'module' };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest)}\n`);
};

export const bytesBelow = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};
