import { expect, test } from 'vitest';
import { checkDialect } from './checkDialect.ts';
import { plantRepository } from './plant.ts';

const offencesOf = async (file: string, text: string): Promise<string[]> =>
  checkDialect(await plantRepository({ [file]: text }));

const SOURCE = 'packages/lanes/src/a.ts';
const ENGLISH = 'apps/desk/web/src/app/texts.en.json';

test.each([
  [SOURCE, 'function a() {}\n', 'arrow constant'],
  [SOURCE, '\nexport async function a(\n  b: string,\n): Promise<void> {\n}\n', 'arrow constant'],
  [SOURCE, 'const retries = 3;\n', 'name in capitals'],
  [SOURCE, "export const greeting: string = 'Hello';\n", 'name in capitals'],
  [SOURCE, 'const pattern = /a/g;\n', 'name in capitals'],
  [SOURCE, "import { z } from 'zod/v4';\n", '* as z'],
  [SOURCE, "import type { z } from 'zod/v4';\n", '* as z'],
  [SOURCE, 'let open = 0;\n', 'state of a module'],
  ['tests/a.test.ts', 'const run = async (of: string) => of;\n', 'and not `of`'],
  ['tests/a.test.ts', 'for (let of = 0; of < 2; of += 1) {}\n', 'and not `of`'],
  ['tests/a.test.ts', 'list.map((one, of) => one);\n', 'and not `of`'],
  ['tests/a.test.ts', 'list.map((of) => of.id);\n', 'and not `of`'],
  [SOURCE, '// Whoever asks waits.\n', 'name the person'],
  [SOURCE, `/**\n * ${'word '.repeat(24)}\n */\n`, 'wrapped at 120'],
  ['README.md', 'There is nobody to ask.\n', 'name the person'],
  [ENGLISH, '{\n  "a": "There is nobody to ask."\n}\n', 'name the person'],
  [ENGLISH, '{\n  "a": "One",\n  "b": "Two",\n  "a": "Three"\n}\n', 'each key once'],
])('%s is refused: %s', async (file, text, reason) => {
  expect(await offencesOf(file, text)).toEqual([expect.stringContaining(reason)]);
});

test.each([
  [SOURCE, 'const a = () => 3;\nexport function* b() {}\nfunction c(): never {\n  throw d;\n}\n'],
  [SOURCE, 'function a(b: unknown): asserts b is string {\n}\n'],
  [SOURCE, 'export const create = () => {\n  let open = 0;\n  function a() {}\n  const b = 3;\n};\n'],
  [SOURCE, "const MOST = 3;\nconst lanes = ['copy'];\nconst names = { a: 1 };\n"],
  [SOURCE, "import * as z from 'zod/v4';\nimport type * as y from 'zod/v4/core';\n"],
  [SOURCE, 'for (const one of all) take(one); // one (of two), of course\n'],
  [ENGLISH, '{\n  "a": "One",\n  "a.b": "Two"\n}\n'],
  ['tests/a.test.ts', 'let service: TestService;\nconst run_id = 1;\n'],
  ['packages/embedded/src/postgres/account.ts', '// The account is `nobody`.\n'],
])('%s passes: %s', async (file, text) => {
  expect(await offencesOf(file, text)).toEqual([]);
});

test.each([SOURCE, 'tests/a.test.ts', 'apps/desk/web/src/A.tsx'])(
  '%s of 400 lines is refused',
  async (file) => {
    expect(await offencesOf(file, 'export {};\n'.repeat(399))).toEqual([]);
    expect(await offencesOf(file, 'export {};\n'.repeat(400))).toEqual([
      expect.stringContaining(`${file}:1 : a file that is written by hand has fewer than 400 lines`),
    ]);
  },
);
