import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { coreOverHttp, isUnknownProcedure, type CoreAccess, type RunMaterial } from '@evaluation/core-client';
import { createGrader, type Grader } from '@evaluation/grader';
import { readWorkerSettings } from '@evaluation/platform/settings';
import { createLogger } from '@evaluation/platform/telemetry';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdRun, type HeldRun } from './heldRun.ts';
import { judgementOf, lookUp } from './judgementOf.ts';
import { withRubric } from './rubrics.ts';
import { ID, runMaterial } from '../../test/runMaterial.ts';
import type { Tools } from './tools.ts';
import { countUsage, type UsageCount } from './usage.ts';

/* A worker of this release with a core of the previous one, which answers as tRPC does for an unknown procedure. */

const material = runMaterial('typed');
const question: RunMaterial['questions'][number] = {
  id: ID,
  label: '1',
  section: 'A',
  type: 'long_answer',
  text: 'Why does ice float?',
  max_marks: 2,
  negative_marks: 0,
  options: [],
  correct_options: [],
  answer: null,
  model_answer: null,
  rubric: null,
};

let older: Server;
const calls: string[] = [];
let model: ModelServer;
let core: CoreAccess;
let grader: Grader;
let run: HeldRun;
let tools: Tools;
let usage: UsageCount;

beforeAll(async () => {
  older = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    calls.push(path);
    const data = { code: 'NOT_FOUND', httpStatus: 404, path, failure: null, replay: null };
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'NOT_FOUND', code: -32004, data } }));
  });
  await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
  const { port } = older.address() as AddressInfo;
  model = await startModelServer();
  core = coreOverHttp({ url: `http://127.0.0.1:${port}`, token: 'g'.repeat(32) });
  grader = await createGrader({
    provider: 'openai',
    baseUrl: model.baseUrl,
    apiKey: 'sk-not-a-real-key',
    model: 'm',
    maxConcurrentCalls: 4,
    callTimeoutSeconds: 20,
  });
  const log = createLogger({ service: 'worker', level: 'silent' });
  const settings = readWorkerSettings({
    CORE_URL: 'http://core',
    CORE_GRADING_TOKEN: 'g'.repeat(32),
    NATS_URL: 'nats://lanes',
  });
  run = holdRun(core, material, log);
  tools = { grader, settings, log };
  usage = countUsage(grader, settings.prices, null, 'typed');
});
afterAll(async () => {
  run.close();
  await grader.close();
  await core.close();
  await model.close();
  older.close();
});

test('isUnknownProcedure distinguishes a missing procedure from a not-found answer', async () => {
  const error: unknown = await core
    .as({})
    .grading.findJudgement.query({
      held: { run_id: ID, institute_id: ID, fence: 1 },
      key: '0'.repeat(64),
    })
    .catch((failure: unknown) => failure);
  expect(isUnknownProcedure(error)).toBe(true);
  expect(isUnknownProcedure(new Error('NOT_FOUND'))).toBe(false);
});

test('an answer is judged without the cache', async () => {
  const answer = { text: 'It floats.', legibility: null, blocks: [] };
  const [asked] = await lookUp(tools, run, [{ question, answer }]);
  if (asked === undefined) throw new Error('nothing was looked up');
  const judged = await judgementOf(tools, run, usage, asked);
  expect(judged).toMatchObject({ reusedFrom: null, calls: [{ call: 'judge_answer' }] });
  expect(asked.found).toBeNull();
  expect(calls).toEqual(expect.arrayContaining(['grading.record', 'grading.findJudgement']));
});

test('a question without a rubric is graded without one', async () => {
  expect(await withRubric(tools, run, usage, question)).toEqual(question);
  expect(calls).toContain('grading.beginRubric');
});
