import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../../harness/service.ts';
import {
  compile,
  newGeneratedFolder,
  programOn,
  runNode,
  type Outcome,
} from '../../harness/generatedFolder.ts';

/**
 * A client generated from openapi.json alone, as an integrator would: type-checked and run in a separate folder where
 * only the packages resolve.
 */

const openapi = new URL('../../../contracts/rest/openapi.json', import.meta.url);

let made: Awaited<ReturnType<typeof newGeneratedFolder>>;
let folder: string;
let journey: string;
beforeAll(async () => {
  made = await newGeneratedFolder();
  ({ folder } = made);
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTypescript(openapi)));
  journey = await programOn(new URL('./generated-client.md', import.meta.url));
});
afterAll(() => made.remove());

const checked = (programs: Record<string, string>): Promise<Outcome> =>
  compile(folder, programs, { noEmit: true, allowImportingTsExtensions: true });

describe('a client generated from openapi.json by a public generator', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('type-checks, and takes an exam from its creation to final marks and a list', async () => {
    expect(await checked({ journey })).toEqual({ code: 0, output: '' });

    const { code, output } = await runNode(join(folder, 'journey.ts'), service.baseUrl, service.api.apiKey);
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
      feed: [{ isOurs: true, status: 'graded' }],
      overridden: 1.5,
      finalized: { skipped: [] },
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
