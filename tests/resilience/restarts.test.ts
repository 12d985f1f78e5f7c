import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreOverHttp } from '@evaluation/core-client';
import { findInstallation } from '@evaluation/platform/installation';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiClient, createExam, submit, untilOver, uploadCopy, type ApiClient } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import {
  killPrograms,
  processesNaming,
  startProgram,
  startSplitService,
  type Program,
} from '../harness/processes.ts';
import { expectGradedOnce } from './expectations.ts';
import { answerOnly, expectPaidOnce } from './modelCalls.ts';

/* Core, or the whole service in one process, is killed in the middle of a run and started again. */

/** One question on each page of a copy. At most `AT_ONCE` of them are at the model at the same time. */
const QUESTIONS = ['1', '2', '3', '4', '5'].map((label) => longAnswer(label));
const AT_ONCE = 2;

let undo: (() => Promise<unknown>)[] = [];

const model = closedAfterTests(await startModelServer());
beforeEach(() => model.reset());
afterEach(async () => {
  await killPrograms();
  for (const step of undo.splice(0).toReversed()) await step();
});

const behindOf = (database: Parameters<typeof lookBehind>[0]): BehindTheApi => {
  const behind = lookBehind(database);
  undo.push(() => behind.close());
  return behind;
};

test('core is killed and restarted while a worker grades: the worker waits for it, and the run completes once', async () => {
  const service = await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    QUESTION_CONCURRENCY: String(AT_ONCE),
    // Longer than core is down, however long it takes to start.
    LEASE_SECONDS: '120',
  });
  undo.push(() => service.close());
  const behind = behindOf(service.database);
  const coreIsGone = Promise.withResolvers<void>();
  model.behave([{ behaviour: { kind: 'held', until: coreIsGone.promise } }]);
  const worker = await service.startWorker();
  const exam = await createExam(service.api, typedExam(QUESTIONS));
  const submission = await submit(service.api, exam.id, {
    candidate: { external_id: 'RESTART-1' },
    answers: QUESTIONS.map(({ label }) => ({ question_label: label, text: `Because of ${label}.` })),
  });
  await model.waitFor((calls) => calls.length === AT_ONCE);
  await service.core().kill();
  // The model's answers arrive while core is down.
  coreIsGone.resolve();
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));
  await service.restartCore();
  await expectGradedOnce(service.api, behind, submission.id);
  expect(await behind.runOf(submission.id)).toMatchObject({ fence: 1, dead_leases: 0 });
  expectPaidOnce(model, { calls: 0, recorded: [] });
  worker.signal('SIGTERM');
  expect(await worker.exited).toBe(0);
});

test('npm start with embedded services: killed in the middle of a copy and restarted, it grades and charges once; after an orderly stop it starts again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'evaluation-npm-start-'));
  // PostgreSQL runs under another account if the test runs as root.
  await chmod(dataDir, 0o711);
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  undo.push(() => endLeftovers(dataDir));
  const environment = {
    DATA_DIR: dataDir,
    MODEL_PREFLIGHT: 'off',
    PORT: '0',
    CORE_PORT: '0',
    DESK_PORT: '0',
    LOG_LEVEL: 'silent',
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    QUESTION_CONCURRENCY: String(AT_ONCE),
    DRAIN_SECONDS: '60',
    TMPDIR: dataDir,
  };
  const judged = 2;
  answerOnly(model, (name, earlier) => !name.startsWith('question') || earlier < judged);
  const first = await startProgram('standalone', environment);
  const api = await clientOf(environment, first);
  const exam = await createExam(api, handwrittenExam({ questions: QUESTIONS }));
  const submission = await submit(api, exam.id, {
    candidate: { external_id: 'RESTART-1' },
    upload_id: await uploadCopy(api, plainPdf(QUESTIONS.length)),
  });
  await eventually('some questions are judged and others under way', async () => {
    const { body } = await api.get<Submission>(`/submissions/${submission.id}`);
    const asked = model.calls.filter(({ schemaName }) => schemaName === 'judge_answer').length;
    return (body.progress?.questions_done ?? 0) >= judged && asked >= judged + AT_ONCE;
  });
  await first.kill();
  expect((await processesNaming(dataDir)).length, 'the servers outlive a killed node').toBeGreaterThan(0);
  const behindThen = lookBehind(await databaseOf(dataDir));
  const death = { calls: model.calls.length, recorded: await behindThen.recordedCalls(submission.id) };
  expect(await behindThen.runOf(submission.id)).toMatchObject({ status: 'claimed' });
  await behindThen.close();

  model.behave([]);
  const second = await startProgram('standalone', environment);
  const apiAgain = await clientOf(environment, second);
  const graded = await untilOver(apiAgain, submission.id);
  const behindNow = lookBehind(await databaseOf(dataDir));
  await expectGradedOnce(apiAgain, behindNow, submission.id);
  await behindNow.close();
  expect(expectPaidOnce(model, death).repeated).toHaveLength(AT_ONCE);
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

/** A client of `npm start`: the key survives a restart; the address changes, since any free port is used. */
const clientOf = async (environment: Record<string, string>, program: Program): Promise<ApiClient> => {
  const installation = await findInstallation(environment['DATA_DIR'] ?? '');
  return apiClient(program.name, installation?.first_key?.api_key ?? '');
};

const databaseOf = async (dataDir: string): Promise<{ superuserUrl: string }> => {
  const read = async (...path: string[]) => (await readFile(join(dataDir, 'postgres', ...path))).toString();
  const port = (await read('cluster', 'postmaster.pid')).split('\n')[3];
  const password = (await read('superuser.password')).trim();
  return { superuserUrl: `postgresql://postgres:${password}@127.0.0.1:${port}/answer_evaluation` };
};

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

/** Ends embedded servers after a failed test: they are not in a process group of the test. */
const endLeftovers = async (dataDir: string): Promise<void> => {
  for (const pid of await processesNaming(dataDir)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(dataDir)) process.kill(pid, 'SIGKILL');
  }
  await eventually('its servers have ended', async () => (await processesNaming(dataDir)).length === 0);
};
