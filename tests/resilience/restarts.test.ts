import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreOverHttp } from '@evaluation/core-client';
import { findInstallation } from '@evaluation/installation';
import { startModelServer, type ClonedDatabase, type ModelServer } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { copyPdf, examBody } from '../fixtures/fixtures.ts';
import { apiClient, createExam, submit, untilOver, uploadCopy, type ApiClient } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import {
  killPrograms,
  processesNaming,
  startProgram,
  startSplitService,
  type Program,
} from '../harness/processes.ts';
import { newEnvironment } from '../harness/service.ts';
import { expectGradedOnce } from './expectations.ts';
import { answerOnly, expectPaidOnce, named, truthOf } from './modelCalls.ts';

/* Core, or the whole service in one process, is killed in the middle of a copy and started again. */

// Whole services start and stop in each test, on a machine that others may be using.
vi.setConfig({ testTimeout: 120_000 });

let model: ModelServer;
/** Undone after each test, last first. */
let undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());
beforeEach(() => {
  model.reset();
  model.know(truthOf('average'));
});
afterEach(async () => {
  await killPrograms();
  for (const step of undo.splice(0).toReversed()) await step();
});

const behindOf = (database: ClonedDatabase): BehindTheApi => {
  const behind = lookBehind(database);
  undo.push(() => behind.close());
  return behind;
};

const submitCopy = async (api: ApiClient): Promise<Submission> => {
  const exam = await createExam(api, examBody('science'));
  const uploadId = await uploadCopy(api, copyPdf('average'));
  return submit(api, exam.id, { candidate: { external_id: 'RESTART-1' }, upload_id: uploadId });
};

/** Four questions are judged and recorded, six hang. */
const halfJudged = async (api: ApiClient, submissionId: string): Promise<void> => {
  await eventually('half of the questions are judged', async () => {
    const { body } = await api.get<Submission>(`/submissions/${submissionId}`);
    const asked = model.calls.filter(({ schemaName }) => schemaName === 'judge_answer').length;
    return (body.progress?.questions_done ?? 0) >= 4 && asked >= 10;
  });
};

const answerHalf = () => answerOnly(model, (name, earlier) => !name.startsWith('question') || earlier < 4);

test('3.7 core is killed and comes back while a worker grades: the worker waits for it and the run completes once', async () => {
  const service = await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    LEASE_SECONDS: '15',
    TICK_MS: '100',
    INSPECTION_WAIT_SECONDS: '30',
  });
  undo.push(() => service.close());
  const behind = behindOf(service.database);
  model.behave([{ schemaName: 'judge_answer', behaviour: { kind: 'slow', ms: 500 } }]);
  const worker = await service.startWorker();
  const submission = await submitCopy(service.api);
  await model.waitFor((calls) => calls.some(({ schemaName }) => schemaName === 'judge_answer'), 20_000);
  await service.core().kill();
  // Answers that were paid for come while there is nobody to record them.
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));
  await service.restartCore();
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expect(await behind.runOf(submission.id)).toMatchObject({ fence: 1, dead_leases: 0 });
  expectPaidOnce(model, { calls: 0, recorded: [] });
  worker.signal('SIGTERM');
  expect(await worker.exited).toBe(0);
});

test('3.7 the whole service is killed in the middle of a copy and started again: graded once, charged once', async () => {
  const { environment, database, drop } = await newEnvironment({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    LEASE_SECONDS: '4',
    TICK_MS: '100',
    INSPECTION_WAIT_SECONDS: '30',
    UNCLAIMED_SECONDS: '3',
  });
  undo.push(drop);
  const behind = behindOf(database);
  answerHalf();
  const first = await startProgram('standalone', environment);
  const api = await clientOf(environment, first);
  const submission = await submitCopy(api);
  await halfJudged(api, submission.id);
  await first.kill();
  const death = { calls: model.calls.length, recorded: await behind.recordedCalls(submission.id) };
  expect(await behind.runOf(submission.id)).toMatchObject({ status: 'claimed' });

  model.behave([]);
  const second = await startProgram('standalone', environment);
  const apiAgain = await clientOf(environment, second);
  await untilOver(apiAgain, submission.id);
  await expectGradedOnce(apiAgain, behind, submission.id);
  expect(expectPaidOnce(model, death).repeated).toHaveLength(6);
});

/** The key of `npm start` outlives it; the address changes, since the tests let it take any free port. */
const clientOf = async (environment: Record<string, string>, program: Program): Promise<ApiClient> => {
  const installation = await findInstallation(environment['DATA_DIR'] ?? '');
  return apiClient(program.name, installation?.first_key?.api_key ?? '');
};

test('7 npm start with its own services: killed in the middle, started again, stopped in order, started a third time', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'evaluation-npm-start-'));
  // PostgreSQL runs under another account where we are root.
  await chmod(dataDir, 0o711);
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  undo.push(() => endLeftovers(dataDir));
  const environment = {
    DATA_DIR: dataDir,
    PORT: '0',
    CORE_PORT: '0',
    LOG_LEVEL: 'silent',
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    LEASE_SECONDS: '4',
    TICK_MS: '100',
    INSPECTION_WAIT_SECONDS: '30',
    DRAIN_SECONDS: '10',
    TMPDIR: dataDir,
  };
  answerHalf();
  const first = await startProgram('standalone', environment);
  const api = await clientOf(environment, first);
  const submission = await submitCopy(api);
  await halfJudged(api, submission.id);
  await first.kill();
  const callsBefore = [...model.calls];
  expect((await processesNaming(dataDir)).length, 'the servers outlive a killed node').toBeGreaterThan(0);

  model.behave([]);
  const second = await startProgram('standalone', environment);
  const apiAgain = await clientOf(environment, second);
  const graded = await untilOver(apiAgain, submission.id);
  expect(graded).toMatchObject({
    status: 'graded',
    attempt_count: 1,
    credits_charged: graded.quote?.credits,
  });
  const judged = named(callsBefore.filter(({ aborted }) => !aborted));
  expect(judged.filter((name) => name.startsWith('question'))).toHaveLength(4);
  const again = named(model.calls.slice(callsBefore.length));
  expect(
    again.filter((name) => judged.includes(name)),
    'what was recorded is not asked for again',
  ).toEqual([]);
  expect(await creditsOf(dataDir)).toMatchObject({
    balance: 10_000 - (graded.credits_charged ?? 0),
    committed: 0,
  });

  second.signal('SIGTERM');
  expect(await second.exited, second.output()).toBe(0);
  expect(await processesNaming(dataDir), 'nothing is left running').toEqual([]);
  expect(
    (await readdir(dataDir)).filter((name) => name.startsWith('answer-evaluation-')),
    'no answers lie about',
  ).toEqual([]);

  const third = await startProgram('standalone', environment);
  const kept = await clientOf(environment, third);
  expect((await kept.get<Submission>(`/submissions/${submission.id}`)).body).toEqual({
    ...graded,
    updated_at: expect.any(String),
  });
  third.signal('SIGTERM');
  expect(await third.exited, third.output()).toBe(0);
  expect(await processesNaming(dataDir)).toEqual([]);
});

/** The first institute's credits, as the provisioning CLI sees them. */
const creditsOf = async (dataDir: string): Promise<{ balance: number; committed: number }> => {
  const installation = await findInstallation(dataDir);
  const core = coreOverHttp({ url: installation?.core_url ?? '', token: installation?.tokens.control ?? '' });
  try {
    const institute_id = installation?.first_key?.institute_id ?? '';
    return (await core.as({}).control.showInstitute.query({ institute_id })).credits;
  } finally {
    await core.close();
  }
};

/** When the test failed in between: the embedded servers are in no process group of ours. */
const endLeftovers = async (dataDir: string): Promise<void> => {
  for (const pid of await processesNaming(dataDir)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(dataDir)) process.kill(pid, 'SIGKILL');
  }
  await eventually('its servers are gone', async () => (await processesNaming(dataDir)).length === 0);
};
