import { expect, test } from 'vitest';
import { checkLicences } from './checkLicences.ts';
import { plant } from './plant.ts';

const package_ = (change: object = {}) => ({
  version: '1.2.3',
  license: 'MIT',
  integrity: 'sha512-AAAA',
  resolved: 'https://registry.npmjs.org/a/-/a-1.2.3.tgz',
  ...change,
});

const check = async (
  packages: Record<string, object>,
  files: Record<string, object> = {},
): Promise<string[]> => {
  const tree: Record<string, object> = {
    'package.json': { allowScripts: { known: false } },
    'apps/core/package.json': { dependencies: { a: '1.2.3', b: '4.0.0-rc.1' } },
    'package-lock.json': {
      packages: {
        '': {},
        'apps/core': {},
        'node_modules/@evaluation/core': { resolved: 'apps/core', link: true },
        ...packages,
      },
    },
    ...files,
  };
  const texts = Object.entries(tree).map(([path, content]) => [path, JSON.stringify(content)] as const);
  return checkLicences(await plant(Object.fromEntries(texts)));
};

test('permissive licences, choices that contain one, and the named exceptions pass', async () => {
  expect(
    await check({
      'node_modules/a': package_(),
      'node_modules/b': package_({ license: '(GPL-2.0 OR MIT)' }),
      'node_modules/c': package_({ license: 'MIT and ISC' }),
      'node_modules/d': package_({ license: [{ type: 'BSD-3-Clause' }] }),
      'node_modules/@img/sharp-libvips-linux-x64': package_({ license: 'LGPL-3.0-or-later' }),
      'node_modules/@img/sharp-win32-x64': package_({ license: 'Apache-2.0 AND LGPL-3.0-or-later' }),
      'node_modules/known': package_({ hasInstallScript: true }),
      'node_modules/tool': package_({ license: 'GPL-3.0-only', dev: true }),
    }),
  ).toEqual([]);
});

test('an undecided licence is refused, also of a nested package and in half of an expression', async () => {
  expect(
    await check({
      'node_modules/a': package_({ license: 'AGPL-3.0-or-later' }),
      'node_modules/a/node_modules/b': package_({ license: 'MIT AND GPL-3.0-only' }),
      'node_modules/lgpl': package_({ license: 'LGPL-3.0-or-later' }),
      'node_modules/silent': package_({ license: undefined }),
    }),
  ).toEqual([
    'a@1.2.3: its licence is not decided, AGPL-3.0-or-later',
    'b@1.2.3: its licence is not decided, MIT AND GPL-3.0-only',
    'lgpl@1.2.3: its licence is not decided, LGPL-3.0-or-later',
    'silent@1.2.3: its licence is not decided, none',
  ]);
});

test('a licence that only the installed manifest states is read there', async () => {
  const bare = { 'node_modules/a': package_({ license: undefined }) };
  const manifest = (license: string) => ({ 'node_modules/a/package.json': { license } });
  expect(await check(bare, manifest('ISC'))).toEqual([]);
  expect(await check(bare, manifest('SSPL-1.0'))).toHaveLength(1);
});

test('a version range, a missing hash, another source and an unknown install script are refused, also of tools', async () => {
  expect(
    await check(
      {
        'node_modules/a': package_({ integrity: undefined, dev: true }),
        'node_modules/b': package_({ resolved: 'git+ssh://git@example.org/b.git', dev: true }),
        'node_modules/c': package_({ hasInstallScript: true, dev: true }),
      },
      { 'apps/core/package.json': { dependencies: { a: '^1.2.3' }, devDependencies: { c: 'latest' } } },
    ),
  ).toEqual([
    'a@1.2.3: package-lock.json has no integrity of it',
    'apps/core/package.json: a ^1.2.3 is no exact version',
    'apps/core/package.json: c latest is no exact version',
    'b@1.2.3: it does not come from the registry',
    'c@1.2.3: it has an install script; say in allowScripts of package.json whether it may run',
  ]);
});
