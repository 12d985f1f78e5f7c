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
