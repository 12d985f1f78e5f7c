import { cp, glob, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CopiedPackage } from './images.ts';

/** Readmes are copied because some hold the licence. */
const ALWAYS = ['package.json', '{LICENSE,LICENCE}*', '{README,Readme}.md'];

/**
 * Copies the needed files of a package from the repository's `node_modules` to the bundle's.
 *
 * @returns false when an optional package is not installed
 * @throws Error when a required package is missing or a pattern matches no file
 */
export const copyPackage = async (root: string, target: string, wanted: CopiedPackage): Promise<boolean> => {
  const from = join(root, 'node_modules', wanted.name);
  if (!existsSync(from)) {
    if (wanted.optional === true) return false;
    throw new Error(`${wanted.name} is not installed; run npm ci`);
  }
  for (const pattern of [...ALWAYS, ...wanted.files]) {
    const found = await Array.fromAsync(glob(pattern, { cwd: from, withFileTypes: true }));
    const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    if (files.length === 0 && !ALWAYS.includes(pattern)) {
      throw new Error(`${wanted.name} has no files ${pattern}`);
    }
    for (const file of files) {
      const copy = join(target, 'node_modules', wanted.name, file.slice(from.length + 1));
      await mkdir(dirname(copy), { recursive: true });
      await cp(file, copy, { dereference: true });
    }
  }
  return true;
};
