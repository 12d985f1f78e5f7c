import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleLibrary } from '@evaluation/bundle';
import manifest from '../../packages/core-client/package.json' with { type: 'json' };

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, '../../packages/core-client');

/**
 * Packs the client of core for services outside this repository: one tarball with its code, its types and the licences
 * of what is in it, without dependencies.
 *
 * @returns the path of the tarball
 */
export const packCoreClient = async (into: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'core-client-'));
  try {
    await bundleLibrary(join(PACKAGE, 'src/packed.ts'), folder);
    for (const name of ['index.d.ts', 'procedures.d.ts'])
      await cp(join(PACKAGE, 'packed', name), join(folder, name));
    const packed = {
      name: manifest.name,
      version: manifest.version,
      description: 'Typed client of the public procedures of core.',
      license: 'UNLICENSED',
      type: 'module',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
      engines: { node: '>=22.19' },
    };
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
    await mkdir(into, { recursive: true });
    const { stdout } = await run('npm', ['pack', folder, '--pack-destination', into, '--silent']);
    return join(into, stdout.trim().split('\n').at(-1) ?? '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
