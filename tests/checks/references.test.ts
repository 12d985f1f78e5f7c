import { expect, test } from 'vitest';
import { checkReferences } from './checkReferences.ts';
import { plantRepository, type Tree } from './plant.ts';

/** Checks a repository of these files and a page that they can refer to. */
const offencesOf = async (files: Tree): Promise<string[]> => {
  const page = '# Page\n\n## Lock order\n\n## Keys and `/me`\n';
  return checkReferences(await plantRepository({ 'docs/page.md': page, ...files }));
};

test('links and mentions that lead to a file and a heading pass', async () => {
  const files = {
    'README.md': '# A\n\n[b](docs/page.md) [c](docs/page.md#lock-order) [d](#a) [e](https://example.org/x#y)',
    'docs/more.md': '[b](page.md#keys-and-me)\n\n```sh\n[x](missing.md)\n```\n',
    'src/a.ts': '// docs/page.md#lock-order\n',
  };
  expect(await offencesOf(files)).toEqual([]);
});

test('a link to a missing file or heading is reported with its place', async () => {
  const files = { 'README.md': '# A\n\n[b](missing.md)\n[c](docs/page.md#nothing) [d](#b)\n' };
  expect(await offencesOf(files)).toEqual([
    'README.md:3 missing.md: no such file',
    'README.md:4 docs/page.md#nothing: no such heading',
    'README.md:4 #b: no such heading',
  ]);
});

test('a mention in code of a missing page or heading is an offence', async () => {
  const files = { 'src/a.ts': '// docs/page.md#gone\n// docs/missing.md\n' };
  expect(await offencesOf(files)).toEqual([
    'src/a.ts:1 docs/page.md#gone: no such heading',
    'src/a.ts:2 docs/missing.md: no such file',
  ]);
});

test('a README of a package names only files that are there', async () => {
  const files = {
    'apps/core/src/exams/README.md':
      '1. `open.ts`, `paper/pinned.ts`, `rules/src/marks.ts`, `gone.ts`, `paper/gone.ts`, `marks.ts`\n',
    'apps/core/src/exams/open.ts': '',
    'apps/core/src/exams/paper/pinned.ts': '',
    'packages/rules/src/marks.ts': '',
  };
  expect(await offencesOf(files)).toEqual([
    'apps/core/src/exams/README.md gone.ts: no such file',
    'apps/core/src/exams/README.md paper/gone.ts: no such file',
    'apps/core/src/exams/README.md marks.ts: no such file',
  ]);
});

test.each([
  ['src/a.ts', '// As in spec 4.7.'],
  ['src/a.ts', '/** Design chapter 5. */'],
  ['docs/b.md', 'It follows the specification, chapter 3.'],
  ['src/a.test.ts', "test('4.7 it works', () => {});"],
])('a chapter of a text that is not in the repository is an offence: %s %s', async (file, text) => {
  expect(await offencesOf({ [file]: text })).toEqual([expect.stringContaining('a chapter of a text')]);
});

test('numbers that are not chapters pass', async () => {
  const files = {
    'src/a.test.ts': "test('2 runs of 1.5 marks', () => {});",
    'src/b.ts': '// by design 20 at once; a specification of 3 pages',
  };
  expect(await offencesOf(files)).toEqual([]);
});
