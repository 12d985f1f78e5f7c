import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkImports } from './checkImports.ts';
import { plant, type Tree } from './plant.ts';
import { scan } from './scan.ts';

/** @param inFolder what follows an entry's name in the path of its file */
const manifest = (name: string, entries: readonly string[] = ['.'], inFolder = ''): string =>
  JSON.stringify({
    name: `@evaluation/${name}`,
    exports: Object.fromEntries(
      entries.map((entry) => [
        entry,
        entry === '.' ? './src/index.ts' : `./src/${entry.slice(2)}${inFolder}.ts`,
      ]),
    ),
  });

const healthy: Tree = {
  'contracts/rest/package.json': manifest('rest-contract', ['.', './schemas', './errors']),
  'contracts/rest/src/index.ts': "export * from './schemas.ts';\nexport * from './errors.ts';\n",
  'contracts/rest/src/schemas.ts': "import * as z from 'zod/v4';\nexport const Exam = z.object({});\n",
  'contracts/rest/src/errors.ts': 'export const errors = {};\n',
  'packages/rules/package.json': manifest('rules'),
  'packages/rules/src/index.ts': "import type { Exam } from '@evaluation/rest-contract/schemas';\n",
  'packages/platform/package.json': manifest('platform', ['./settings', './telemetry'], '/index'),
  'packages/platform/src/settings/index.ts': 'console.log(process.env.PORT);\n',
  'packages/platform/src/telemetry/index.ts': 'export const log = () => undefined;\n',
  'packages/database/package.json': manifest('database'),
  'packages/database/src/index.ts': "import { log } from '@evaluation/platform/telemetry';\n",
  'packages/database/src/index.test.ts': "import { databases } from '@evaluation/test-services';\n",
  'packages/database/prisma.config.ts': 'process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;\n',
  'packages/lanes/package.json': manifest('lanes'),
  'packages/lanes/src/index.ts': 'export {};\n',
  'tests/services/package.json': manifest('test-services'),
  'tests/services/index.ts': "import '@evaluation/database';\n",
  'packages/core-client/package.json': manifest('core-client'),
  'packages/core-client/src/index.ts': "import type { CoreRouter } from '@evaluation/core/router';\n",
  'apps/core/package.json': manifest('core', ['.', './router']),
  'apps/core/src/index.ts':
    "import { errors } from '@evaluation/rest-contract/errors';\nimport '@evaluation/database';\n",
  'apps/core/src/router.ts': 'export {};\n',
  'apps/facade/package.json': manifest('facade'),
  'apps/facade/src/index.ts':
    "import { contract } from '@evaluation/rest-contract';\nimport express from 'express';\n",
  'apps/cli/package.json': manifest('cli', []),
  'apps/cli/src/demo/main.ts':
    "import '@evaluation/rest-contract';\nimport '@evaluation/platform/settings';\n",
  'apps/standalone/package.json': manifest('standalone'),
  'apps/standalone/src/index.ts': "import '@evaluation/core';\nimport '@evaluation/facade';\n",
  'tests/package.json': manifest('black-box-tests', []),
  'tests/journey.ts': "import '@evaluation/standalone';\nimport '../apps/core/src/index.ts';\n",
};

const UNUSED = /^(.*) is not used in production/;
const UNUSED_EXPORT = / exports \w+, which no other file imports$/;

const allOffencesOf = async (planted: Tree): Promise<string[]> =>
  checkImports(await plant({ ...healthy, ...planted }));

/** Without unused files and exports: most planted files are not imported. */
const offencesOf = async (planted: Tree): Promise<string[]> =>
  (await allOffencesOf(planted)).filter((offence) => !UNUSED.test(offence) && !UNUSED_EXPORT.test(offence));

const unusedOf = async (planted: Tree): Promise<string[]> =>
  (await allOffencesOf(planted)).flatMap((offence) => UNUSED.exec(offence)?.[1] ?? []);

describe('import rules', () => {
  test('a repository that keeps the rules has no offence', async () => {
    expect(await offencesOf({})).toEqual([]);
  });

  test.each<[rule: string, planted: Tree, offence: string]>([
    [
      'rules may import the contract only',
      { 'packages/rules/src/a.ts': "import { log } from '@evaluation/platform/telemetry';" },
      "packages/rules/src/a.ts:1 imports '@evaluation/platform/telemetry': packages/rules must not import packages/platform/src/telemetry",
    ],
    [
      'adapters never import each other',
      { 'packages/lanes/src/a.ts': "// why\nexport * from '@evaluation/database';" },
      "packages/lanes/src/a.ts:2 imports '@evaluation/database': packages/lanes must not import packages/database",
    ],
    [
      'the facade does not import the database, even dynamically',
      { 'apps/facade/src/a.ts': "const db = await import('@evaluation/database');" },
      "apps/facade/src/a.ts:1 imports '@evaluation/database': apps/facade must not import packages/database",
    ],
    [
      'the facade does not import types of the database',
      { 'apps/facade/src/a.ts': "import type { Row } from '@evaluation/database';" },
      "apps/facade/src/a.ts:1 imports '@evaluation/database': apps/facade must not import packages/database",
    ],
    [
      'apps import no app',
      { 'apps/facade/src/a.ts': "import '@evaluation/core';" },
      "apps/facade/src/a.ts:1 imports '@evaluation/core': apps/facade must not import apps/core",
    ],
    [
      'the demo imports only what a client may import',
      { 'apps/cli/src/demo/a.ts': "import '@evaluation/core-client';" },
      "apps/cli/src/demo/a.ts:1 imports '@evaluation/core-client': apps/cli/src/demo must not import packages/core-client",
    ],
    [
      'core imports schemas and errors of the contract, not its routes',
      { 'apps/core/src/a.ts': "import { contract } from '@evaluation/rest-contract';" },
      "apps/core/src/a.ts:1 imports '@evaluation/rest-contract': only ./schemas, ./schemas/account, ./schemas/primitives, ./errors, ./field-errors, ./list-lengths, ./exact-json, ./grading-failures, ./upload-rejections of the contract",
    ],
    [
      'core imports no HTTP server',
      { 'apps/core/src/a.ts': "import express from 'express';" },
      "apps/core/src/a.ts:1 imports 'express': apps/core must not",
    ],
    [
      "core-client takes only types of core's router",
      { 'packages/core-client/src/a.ts': "import { type CoreRouter } from '@evaluation/core/router';" },
      "packages/core-client/src/a.ts:1 imports '@evaluation/core/router': only `import type`",
    ],
    [
      'a relative path stays in its package, even where the package is allowed',
      { 'apps/core/src/a.ts': "import '../../../packages/database/src/index.ts';" },
      "apps/core/src/a.ts:1 imports '../../../packages/database/src/index.ts': a relative path must not leave its package",
    ],
    [
      'what a package does not export is not imported',
      { 'apps/core/src/a.ts': "import '@evaluation/database/src/secret.ts';" },
      "apps/core/src/a.ts:1 imports '@evaluation/database/src/secret.ts': packages/database does not export it",
    ],
    [
      'a new package may import no other package until rules.ts lists it',
      {
        'packages/novel/package.json': manifest('novel'),
        'packages/novel/src/index.ts': "import '@evaluation/platform/telemetry';",
      },
      "packages/novel/src/index.ts:1 imports '@evaluation/platform/telemetry': packages/novel must not import packages/platform/src/telemetry",
    ],
    [
      'a part of a package may import only what its own row lists',
      {
        'packages/platform/src/turns/a.ts': "import { log } from '../telemetry/index.ts';",
      },
      "packages/platform/src/turns/a.ts:1 imports '../telemetry/index.ts': packages/platform/src/turns must not import packages/platform/src/telemetry",
    ],
    [
      'a folder of core imports only folders below it',
      {
        'apps/core/src/exams/a.ts': "import { mark } from '../marking/mark.ts';",
        'apps/core/src/marking/mark.ts': 'export const mark = 1;',
      },
      'apps/core/src/exams/a.ts:1 imports from a folder above its own',
    ],
    [
      'a package imports the parts of another that its row lists',
      { 'packages/lanes/src/a.ts': "import '@evaluation/platform/settings';" },
      "packages/lanes/src/a.ts:1 imports '@evaluation/platform/settings': packages/lanes must not import packages/platform/src/settings",
    ],
    [
      'only tests start test services',
      { 'apps/core/src/a.ts': "import '@evaluation/test-services';" },
      "apps/core/src/a.ts:1 imports '@evaluation/test-services': apps/core must not import tests/services",
    ],
    [
      'zod is zod/v4',
      { 'contracts/rest/src/a.ts': "import { z } from 'zod';" },
      "contracts/rest/src/a.ts:1 imports 'zod': zod is imported as 'zod/v4'",
    ],
    [
      'two files do not import each other, not even types',
      {
        'apps/core/src/a.ts': "import { b } from './b.ts';",
        'apps/core/src/b.ts': "import type { A } from './a.ts';",
      },
      'cycle: apps/core/src/a.ts → apps/core/src/b.ts → apps/core/src/a.ts',
    ],
    [
      'folders of an app import each other in one direction only',
      {
        'apps/facade/src/exams/open.ts': "import type { Run } from '../grading/run.ts';",
        'apps/facade/src/grading/run.ts': 'export interface Run {}',
        'apps/facade/src/grading/insert.ts': "import { lock } from '../exams/lock.ts';",
        'apps/facade/src/exams/lock.ts': 'export const lock = 1;',
      },
      'cycle: apps/facade/src/exams → apps/facade/src/grading → apps/facade/src/exams',
    ],
    [
      'a folder and a file beside it import each other in one direction only',
      {
        'packages/rules/src/marks/round.ts': "import { step } from '../step.ts';",
        'packages/rules/src/marks/total.ts': 'export const total = 1;',
        'packages/rules/src/step.ts': "import { half } from './half.ts';\nexport const step = half;",
        'packages/rules/src/half.ts': "import { total } from './marks/total.ts';\nexport const half = total;",
      },
      'cycle: packages/rules/src/half.ts → packages/rules/src/marks → packages/rules/src/step.ts → packages/rules/src/half.ts',
    ],
    [
      'folders inside a folder import each other in one direction only',
      {
        'apps/core/src/credits/ledger/a.ts': "import { b } from '../audit/b.ts';",
        'apps/core/src/credits/audit/b.ts': 'export const b = 1;',
        'apps/core/src/credits/audit/c.ts': "import { d } from '../ledger/d.ts';",
        'apps/core/src/credits/ledger/d.ts': 'export const d = 1;',
      },
      'cycle: apps/core/src/credits/audit → apps/core/src/credits/ledger → apps/core/src/credits/audit',
    ],
    [
      'only settings read the environment',
      { 'packages/lanes/src/a.ts': 'const url =\n  process.env.NATS_URL;' },
      'packages/lanes/src/a.ts:2 reads process.env: only the settings do',
    ],
    [
      'a name says what is inside: folders',
      { 'apps/core/src/utils/dates.ts': 'export {};' },
      "apps/core/src/utils/dates.ts is called 'utils': name it for what it does",
    ],
    [
      'a name says what is inside: files',
      { 'apps/core/src/Helpers.test.ts': 'export {};' },
      "apps/core/src/Helpers.test.ts is called 'Helpers.test.ts': name it for what it does",
    ],
  ])('%s', async (_, planted, offence) => {
    expect(await offencesOf(planted)).toEqual([offence]);
  });

  test('a test beside the code may import from any folder', async () => {
    expect(
      await offencesOf({
        'apps/facade/src/exams/open.ts': "import { run } from '../grading/run.ts';",
        'apps/facade/src/grading/run.ts': 'export const run = 1;',
        'apps/facade/src/grading/run.test.ts': "import { open } from '../exams/open.ts';",
      }),
    ).toEqual([]);
  });

  test.each<[what: string, planted: Tree, unused: string[]]>([
    ['a file that no file imports', { 'packages/lanes/src/a.ts': '' }, ['packages/lanes/src/a.ts']],
    [
      'a file that only a test imports, with all that it imports',
      {
        'packages/lanes/src/fake.ts': "import './fakeClock.ts';",
        'packages/lanes/src/fakeClock.ts': '',
        'packages/lanes/src/a.test.ts': "import './fake.ts';",
      },
      ['packages/lanes/src/fake.ts', 'packages/lanes/src/fakeClock.ts'],
    ],
    [
      'no file of the test folder, no program, and no file that package.json names',
      {
        'packages/lanes/package.json': JSON.stringify({
          name: '@evaluation/lanes',
          exports: './src/index.ts',
          scripts: { generate: 'node src/generate.ts' },
        }),
        'packages/lanes/src/generate.ts': '',
        'packages/lanes/src/child/main.ts': '',
        'packages/lanes/test/fake.ts': '',
      },
      [],
    ],
  ])('unused in production is %s', async (_, planted, unused) => {
    expect(await unusedOf(planted)).toEqual(unused);
  });

  test('an export that no other file imports is refused', async () => {
    const offences = await allOffencesOf({
      'packages/lanes/src/index.ts': "export { a, b as c } from './a.ts';",
      'packages/lanes/src/a.ts': 'export const a = 1;\nexport const b = 2;\nexport interface D {}',
      'packages/lanes/src/index.test.ts': "import { a } from './index.ts';",
      'packages/platform/src/telemetry/all.ts': 'export const x = 1;\nexport const y = 2;',
      'packages/platform/src/telemetry/all.test.ts': "import * as all from './all.ts';",
    });
    expect(offences.filter((offence) => UNUSED_EXPORT.test(offence))).toEqual([
      'packages/lanes/src/a.ts exports D, which no other file imports',
      'packages/lanes/src/index.ts exports c, which no other file imports',
    ]);
  });

  test('packages may not import each other in a cycle', async () => {
    const offences = await offencesOf({
      'packages/core-client/src/a.ts': "import type { A } from '@evaluation/core';",
      'apps/core/src/a.ts': "import { client } from '@evaluation/core-client';",
    });
    expect(offences).toContain('cycle: apps/core → packages/core-client → apps/core');
  });

  test('the script prints the offences and exits with 1, or prints nothing and exits with 0', async () => {
    const run = (root: string) =>
      new Promise<{ code: number; printed: string }>((resolve) => {
        execFile(process.execPath, [join(import.meta.dirname, 'imports.ts'), root], (failure, _, printed) =>
          resolve({ code: failure === null ? 0 : Number(failure.code), printed }),
        );
      });
    expect(await run(await plant(healthy))).toEqual({ code: 0, printed: '' });
    const broken = { ...healthy, 'apps/cli/src/demo/main.ts': "import 'zod';" };
    expect(await run(await plant(broken))).toEqual({
      code: 1,
      printed: "apps/cli/src/demo/main.ts:1 imports 'zod': zod is imported as 'zod/v4'\n",
    });
  });
});

describe('the scanner', () => {
  const specifiers = (source: string) => scan(source).imports.map(({ specifier }) => specifier);

  test.each([
    ["import a from 'x'", ['x']],
    ["import a, { b as c } from 'x'", ['x']],
    ["import {\n  a,\n  type B,\n} from 'x'", ['x']],
    ["import * as a from 'x'", ['x']],
    ["import 'x'", ['x']],
    ['import "x"', ['x']],
    ["import data from 'x' with { type: 'json' }", ['x']],
    ["import type { A } from 'x'", ['x']],
    ["import type from 'x'", ['x']],
    ["export * from 'x'", ['x']],
    ["export * as a from 'x'", ['x']],
    ["export { a } from 'x'", ['x']],
    ["export type { A } from 'x'", ['x']],
    ["await import('x')", ['x']],
    ['await import(`x`)', ['x']],
    ["require('x')", ['x']],
    ["type A = import('x').A", ['x']],
    ["`${await import('x')} ${`${require('y')}`}`; import 'z'", ['x', 'y', 'z']],
    ["const a = b / c; import 'x'; d / e", ['x']],
    ["/['\"`]/.test(a); import 'x'", ['x']],
    ["export const from = 1; import 'x'", ['x']],
  ])('finds an import: %s', (source, expected) => {
    expect(specifiers(source)).toEqual(expected);
  });

  test.each([
    ["// import 'x'"],
    ["/* import 'x'\n import 'x' */"],
    ['const text = "import \'x\'"'],
    ["const text = `\nimport 'x';\nimport a from 'x';\n`"],
    ['const text = `${a}\nimport "x"`'],
    ['const pattern = /import "x"/'],
    ['import.meta.dirname'],
    ["export const a = 'x'"],
    ["export { a }; const from = 'x'"],
    ["const rule = { import: 'x', from: 'y' }"],
  ])('finds no import: %s', (source) => {
    expect(specifiers(source)).toEqual([]);
  });

  test.each([
    ['process.env.A'],
    ["process['env']"],
    ['process?.env'],
    ['const { env } = process'],
    ["import { env } from 'node:process'"],
  ])('finds a read of the environment: %s', (source) => {
    expect(scan(source).environmentLines).toEqual([1]);
  });

  test.each([['process.execPath'], ["'process.env.A'"], ['// process.env.A'], ['const { pid } = process']])(
    'finds no read of the environment: %s',
    (source) => {
      expect(scan(source).environmentLines).toEqual([]);
    },
  );
});
