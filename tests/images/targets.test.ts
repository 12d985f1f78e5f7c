import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { imageNames } from '@evaluation/bundle';
import { expect, test } from 'vitest';

const textOf = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

test.each([
  ['Dockerfile', /^FROM runtime AS (\w+)$/gm],
  ['.github/workflows/release.yaml', /^ {8}target: \[(.+)\]$/gm],
  ['docs/operate/install.md', /^for target in (.+); do$/gm],
])('%s builds each image', async (file, targets) => {
  const found = [...(await textOf(file)).matchAll(targets)].flatMap(([, names = '']) => names.split(/,? /));
  expect(found.toSorted()).toEqual(imageNames.toSorted());
});

test.each(['ci.yaml', 'release.yaml'])('%s names each action of others by its commit', async (file) => {
  const used = [...(await textOf(`.github/workflows/${file}`)).matchAll(/uses: (\S+)/g)].map(
    ([, name]) => name,
  );
  expect(used.length).toBeGreaterThan(0);
  for (const name of used) expect(name).toMatch(/^\.\/|@[0-9a-f]{40}$/);
});
