import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Package folder of a bundled module; null for our own code. */
const packageOf = (moduleId: string): string | null =>
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId)?.[1] ?? null;

/**
 * Licence texts of all bundled packages, because most licences must be distributed with the code.
 *
 * @param moduleIds paths of the modules in the bundle
 */
export const licencesOf = async (moduleIds: readonly string[]): Promise<string> => {
  const folders = new Set(moduleIds.map(packageOf).filter((folder) => folder !== null));
  const parts = await Promise.all([...folders].map(licenceIn));
  return parts.toSorted().join(`\n${'-'.repeat(80)}\n\n`);
};

const licenceIn = async (folder: string): Promise<string> => {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const names = (await readdir(folder)).filter((name) => /^(?:licen[cs]e|notice|copying)/i.test(name));
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
  const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see its package'})`;
  return [title, ...texts].join('\n\n');
};
