import { startModelServer, type Behaviour, type ModelServer } from '@evaluation/test-services';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { startStandalone } from '@evaluation/standalone';
import { metrics } from '@evaluation/platform/telemetry';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExam, submit, untilOver } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { eventually } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { newEnvironment, startService, type TestService } from '../harness/service.ts';
import { newTenant, type Tenant } from '../harness/tenant.ts';

/*
 * Model endpoints that answer but ignore a part of the request: no mark may rest on material that the model did not
 * see. A lane is checking, open or shut; a shut lane takes one run an hour, which gets the reason, and opens by itself
 * once the endpoint works.
 */

const SEEN_WITHIN_MS = 30_000;

let model: ModelServer;
let service: TestService | undefined;
let logged: Record<string, unknown>[];
beforeEach(async () => {
  model = await startModelServer();
  logged = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    if (typeof line === 'string' && line.startsWith('{')) logged.push(JSON.parse(line));
    return true;
  });
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  vi.restoreAllMocks();
  await model.close();
});
afterAll(() => vi.restoreAllMocks());

interface Course {
  tenant: Tenant;
  submitCopy(): Promise<string>;
  submitTyped(): Promise<string>;
}

const start = async (): Promise<Course> => {
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    GRADER_MODEL: 'm',
    MODEL_PREFLIGHT: 'on',
    LOG_LEVEL: 'info',
    INSPECT_CONCURRENCY: '0',
  });
  const { database } = service;
  const tenant = await newTenant(service, { credits: 100 });
  const exams: { copy: Exam; typed: Exam } = {
    copy: await createExam(tenant.api, handwrittenExam({ questions: [longAnswer('1')] })),
    typed: await createExam(tenant.api, typedExam([longAnswer('1')])),
  };
  let candidates = 0;
  const next = () => ({ external_id: `P-${(candidates += 1)}` });
  return {
    tenant,
    submitCopy: async () => {
      const upload_id = await uploadInspected(tenant.api, database, 1);
      return (await submit(tenant.api, exams.copy.id, { candidate: next(), upload_id })).id;
    },
    submitTyped: async () => {
      const answers = [
        { question_label: '1', text: `It is less dense than water, says ${(candidates += 1)}.` },
      ];
      return (await submit(tenant.api, exams.typed.id, { candidate: next(), answers })).id;
    },
  };
};

const preflightLines = (lane: string) =>
  logged.filter(
    (line) => line['lane'] === lane && line['level'] === 'error' && String(line['msg']).includes('preflight'),
  );
const gauge = async (lane: string, check: string): Promise<string | undefined> =>
  new RegExp(`^evaluation_model_preflight\\{lane="${lane}",check="${check}"\\} (\\d)$`, 'm').exec(
    (await metrics.exposition()).body,
  )?.[1];
const read = async ({ tenant }: Course, id: string) =>
  (await tenant.api.get<Submission>(`/submissions/${id}`)).body;

test('an endpoint without sight grades and charges no copy, error, log and metric give the reason, typed answers continue, and waiting copies are graded once it can see', async () => {
  model.behave([{ behaviour: { kind: 'blind' } }]);
  const course = await start();
  const { tenant } = course;
  const began = Date.now();
  const first = await course.submitCopy();
  const second = await course.submitCopy();
  const typed = await course.submitTyped();

  expect(await untilOver(tenant.api, typed)).toMatchObject({ status: 'graded' });
  expect(await untilOver(tenant.api, first)).toMatchObject({
    status: 'failed',
    credits_charged: null,
    error: { code: 'model_unavailable', message: expect.stringContaining('does not see images') },
  });
  expect(Date.now() - began).toBeLessThan(SEEN_WITHIN_MS);
  expect(await read(course, second)).toMatchObject({ status: 'queued', error: null });
  expect(await tenant.credits()).toMatchObject({ balance: 99, committed: 1 });
  expect(preflightLines('copy')).toEqual([
    expect.objectContaining({ reason: 'blind', check: 'vision', model: 'm', remedy: expect.any(String) }),
  ]);
  expect([await gauge('copy', 'vision'), await gauge('typed', 'context')]).toEqual(['0', '1']);
  expect(model.calls.filter(({ schemaName }) => schemaName === 'read_pages')).toEqual([]);

  model.behave([]);
  expect(await untilOver(tenant.api, second)).toMatchObject({ status: 'graded', credits_charged: 1 });
  expect(await gauge('copy', 'vision')).toBe('1');
});

test('a server that answers pictures with 500 is reported as one without image support, and gets no pages', async () => {
  model.behave((call): Behaviour | undefined =>
    JSON.stringify(call.body).includes('image_url') ? { kind: 'status', status: 500 } : undefined,
  );
  const course = await start();
  const copy = await course.submitCopy();
  expect(await untilOver(course.tenant.api, copy)).toMatchObject({
    status: 'failed',
    credits_charged: null,
    error: { code: 'model_unavailable', message: expect.stringContaining('takes no images') },
  });
  expect(preflightLines('copy')).toEqual([
    expect.objectContaining({ reason: 'pictures_refused', status: 500 }),
  ]);
  expect(model.calls.filter(({ schemaName }) => schemaName === 'read_pages')).toEqual([]);
});

test('a server that begins to cut prompts during grading: no reply to a cut prompt counts, and the run continues once it is fixed', async () => {
  const course = await start();
  model.behave([{ behaviour: { kind: 'cuts', tokens: 256 } }]);
  const typed = await course.submitTyped();
  await eventually('the lane is shut', async () => preflightLines('typed').length > 0);
  expect(preflightLines('typed')).toEqual([
    expect.objectContaining({ check: 'context', reason: 'context_cut', tokens: 256 }),
  ]);
  expect(await read(course, typed)).toMatchObject({ status: 'grading' });
  model.behave([]);
  expect(await untilOver(course.tenant.api, typed)).toMatchObject({ status: 'graded', credits_charged: 1 });
});

test('`npm start` prints before it is ready which grader it uses and which lane is shut; /readyz reports a shut lane', async () => {
  model.behave([{ behaviour: { kind: 'blind' } }]);
  const { environment, drop } = await newEnvironment({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    GRADER_MODEL: 'm',
    MODEL_PREFLIGHT: 'on',
  });
  const lines: string[] = [];
  const standalone = await startStandalone(readStandaloneSettings(environment), (line) => lines.push(line));
  const copyLane = expect.stringMatching(
    /^copy lane takes no runs: it does not see images \(vision: blind\); use a model that sees images/,
  );
  expect(lines.slice(-3)).toEqual([
    `grader openai, model m at ${new URL(model.baseUrl).origin}`,
    copyLane,
    'typed lane takes runs (passed: endpoint, schema, context)',
  ]);
  expect(standalone.notes?.()).toEqual([copyLane]);
  await standalone.close();
  await drop();
});
