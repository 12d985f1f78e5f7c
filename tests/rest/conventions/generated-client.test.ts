import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../../harness/service.ts';

/**
 * A client generated from openapi.json alone, as an integrator would: type-checked and run in a separate folder where
 * only the packages resolve.
 */

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const openapi = new URL('../../../contracts/rest/openapi.json', import.meta.url);
/** The compiler of the repository, not the older one that only the generator needs. */
const tsc = join(
  dirname(createRequire(here('../../../package.json')).resolve('typescript/package.json')),
  'bin/tsc',
);

interface Outcome {
  code: number;
  output: string;
}

const run = (program: string, ...args: string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (failure, stdout, stderr) => {
      resolve({ code: failure === null ? 0 : Number(failure.code ?? 1), output: stdout + stderr });
    });
  });

let folder: string;
let journey: string;
beforeAll(async () => {
  // A folder that git and the type check of the repository ignore.
  await mkdir(here('../../generated'), { recursive: true });
  folder = await mkdtemp(here('../../generated/.client-'));
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTypescript(openapi)));
  const page = await readFile(here('./generated-client.md'), 'utf8');
  journey = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Type-checks programs, by name, against the generated client with the strictest settings of TypeScript. */
const checked = async (programs: Record<string, string>): Promise<Outcome> => {
  const files = Object.keys(programs).map((name) => `${name}.ts`);
  for (const [name, source] of Object.entries(programs)) await writeFile(join(folder, `${name}.ts`), source);
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    allowImportingTsExtensions: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  };
  const project = join(folder, 'tsconfig.json');
  await writeFile(project, JSON.stringify({ compilerOptions, files }));
  return run(tsc, '--project', project);
};

describe('a client generated from openapi.json by a public generator', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('type-checks, and takes an exam from its creation to a result and a list', async () => {
    expect(await checked({ journey })).toEqual({ code: 0, output: '' });

    const { code, output } = await run(join(folder, 'journey.ts'), service.baseUrl, service.api.apiKey);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(JSON.parse(output)).toEqual({
      added: [{ label: '2', type: 'numeric' }],
      registered: ['S-1042'],
      opened: 'open',
      result: {
        status: 'graded',
        totals: { awarded: 1, max: 3, percentage: 33.33, questions_graded: 2, questions_failed: 0 },
        awarded: [1, 0],
      },
      titles: ['Physics, unit 3', 'Physics, unit 4'],
      refused: { status: 409, code: 'exam_exists' },
    });
  });

  test('does not type-check a wrong use of the API', async () => {
    const mistakes: [name: string, written: string, instead: string][] = [
      ['required-field-left-out', "mode: 'handwritten'", ''],
      ['unknown-field-sent', "external_ref: 'journey',", "external_reference: 'journey',"],
      ['unknown-word-of-an-enum', "type: 'numeric'", "type: 'number'"],
      ['path-not-described', "'/exams/{examId}/open'", "'/exams/{examId}/opened'"],
      ['path-parameter-left-out', '{ params: ofSubmission }', '{ params: { path: {} } }'],
      ['unknown-field-read', 'opened.status', 'opened.state'],
    ];
    for (const [, written] of mistakes) expect(journey).toContain(written);
    const programs = mistakes.map(([name, written, instead]) => [name, journey.replace(written, instead)]);
    const { output } = await checked(Object.fromEntries(programs));
    const mistaken = [...output.matchAll(/([a-z-]+)\.ts\(\d+,\d+\): error TS/g)].map(([, name]) => name);
    expect(new Set(mistaken)).toEqual(new Set(mistakes.map(([name]) => name)));
  });
});
