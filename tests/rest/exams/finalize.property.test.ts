import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Exam, Result, ResultList, Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, type Answer, type ErrorBody } from '../../harness/api.ts';
import { watchFinal } from '../../harness/finalWatch.ts';
import { testWorker, type TestClaim } from '../../harness/testWorker.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { seededRandom } from '../../harness/seededRandom.ts';
import { newTenant, startIdleService, type Tenant } from '../../harness/tenant.ts';
import { violationsIn } from '../../model/submissions/invariants.ts';

/*
 * Finalizing under concurrency (docs/api/lifecycle.md#exams): on a few exams, round after round, requests and a
 * worker's reports are sent at the same time. The database checks the invariants at every change
 * (tests/harness/finalWatch.ts); between the rounds a client checks what it reads.
 *
 *   FINALIZE_ROUNDS=2000 vitest run tests/rest/exams/finalize.property.test.ts      longer
 *   FINALIZE_SEED=…                          the choices of a failed run; the timing still varies
 */
const ROUNDS = Number(process.env['FINALIZE_ROUNDS'] ?? '16');
const SEED = Number(process.env['FINALIZE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const EXAMS = 4;
const AT_ONCE = 8;
const SPREAD_MS = 15;
const CANDIDATES = ['asha', 'bina', 'chand', 'devi'];

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));
const behind = closedAfterTests(lookBehind(service.database));
const seenBroken = await watchFinal(behind);

/** @returns a whole number from 0 to below `bound` */
const seeded = (seed: number) => {
  const random = seededRandom(seed);
  return (bound: number): number => Math.floor(random() * bound);
};

/** One exam, with the ids that its client remembers. */
interface ExamHistory {
  tenant: Tenant;
  exam: Exam;
  random: (bound: number) => number;
  live: Submission[];
  /** Replaced or deleted submissions: requests for them come late. */
  notLive: string[];
  held: Map<string, TestClaim>;
}

/** Allowed refusals of a client's request at any time. 5xx and 404 are not allowed. */
const REFUSALS = [
  'conflict',
  'already_completed',
  'evaluation_in_progress',
  'submission_finalized',
  'submission_exists',
];
const done = new Map<string, number>();
const expectAllowed = async (what: string, answer: Promise<Answer<ErrorBody>>): Promise<void> => {
  const { status, body } = await answer;
  if (status < 300) {
    done.set(what, (done.get(what) ?? 0) + 1);
    return;
  }
  expect({ what, status, body, isExpected: status === 409 && REFUSALS.includes(body.error.code) }).toEqual({
    what,
    status: 409,
    body,
    isExpected: true,
  });
};

const pick = <T>(history: ExamHistory, from: readonly T[]): T | undefined =>
  from[history.random(from.length)];

/** Possible requests for an exam: mostly about live submissions, sometimes about deleted ones. */
const requestsOn = (history: ExamHistory): Record<string, () => Promise<Answer<ErrorBody>>> => {
  const { api } = history.tenant;
  const { random, exam } = history;
  const live = pick(history, history.live)?.id;
  const path = `/submissions/${(random(8) === 0 ? pick(history, history.notLive) : undefined) ?? live}`;
  const question = pick(history, exam.questions)?.id ?? '';
  const allow_partial = random(2) === 0;
  const texts = [[], ['2'], ['2', '3']][random(3)] ?? [];
  const submission = {
    candidate: { external_id: pick(history, CANDIDATES) },
    answers: [
      { question_label: '1', option_labels: ['B'] },
      ...texts.map((question_label) => ({ question_label, text: 'So.' })),
    ],
  };
  const submissions = `/exams/${exam.id}/submissions`;
  const create = () => api.post(submissions, submission);
  // Without a submission, creating one is the only possible request.
  if (live === undefined) return { create };
  const submission_ids = [live, ...history.live.filter(() => random(2) === 0).map(({ id }) => id)];
  return {
    create,
    replace: () => api.post(submissions, { ...submission, replace: true }),
    delete: () => api.delete(path),
    cancel: () => api.post(`${path}/cancel`),
    're-evaluate': () => api.post(`${path}/re-evaluate`, { keep_overrides: allow_partial }),
    override: () =>
      api.patch(`${path}/questions/${question}`, { reviewer: 'T', awarded: (submission_ids.length % 3) / 2 }),
    approve: () => api.post(`${path}/approve`),
    unfinalize: () => api.post(`${path}/unfinalize`, { reason: 'It was too early.' }),
    'edit exam': () => refusedWhileFinal(api.patch(`/exams/${exam.id}`, { title: 'Edited' })),
    'finalize named': () => api.post(`/exams/${exam.id}/finalize`, { submission_ids, allow_partial }),
    'finalize all': () => api.post(`/exams/${exam.id}/finalize`, { all_graded: true, allow_partial }),
  };
};

/** @param among names of the requests to choose from */
const randomRequest = (history: ExamHistory, among: readonly string[]): (() => Promise<void>) => {
  const all = requestsOn(history);
  const name = pick(history, among) ?? '';
  const send = all[name];
  if (send === undefined)
    return () => expectAllowed('create', all['create']?.() ?? Promise.reject(new Error(name)));
  return () => expectAllowed(name, send());
};
/** One of these is in every round; an entry of `OTHERS` that is listed more often is chosen more often. */
const FINALIZE = ['finalize named', 'finalize all'];
const OTHERS =
  'create,create,replace,delete,cancel,approve,approve,unfinalize,edit exam,override,override,override,re-evaluate,re-evaluate'
    .split(',')
    .concat(FINALIZE);
/** Events that must have happened by the end, so that the test is meaningful. */
const KINDS = [...new Set(OTHERS), 'exam is final', 'worker is refused', 'worker reports'];

const refusedWhileFinal = async (answer: Promise<Answer<ErrorBody>>): Promise<Answer<ErrorBody>> => {
  const { status, headers, body } = await answer;
  return status === 409 && body.error.code === 'exam_finalized'
    ? { status: 204, headers, body }
    : { status, headers, body };
};

/** Ends some of the worker's claimed runs; its reports on the others come late. */
const reports = (history: ExamHistory): (() => Promise<void>)[] =>
  [...history.held]
    .filter(() => history.random(2) === 0)
    .map(([id, held]) => async () => {
      history.held.delete(id);
      const outcome = history.random(5) === 0 ? held.fail('timed_out') : held.complete();
      const what = (await outcome) === 'ok' ? 'worker reports' : 'worker is refused';
      done.set(what, (done.get(what) ?? 0) + 1);
    });

/**
 * Before a round: unfinalizes about half of the final submissions, so that there is something to race for.
 * @returns the submissions that stay final
 */
const takeBack = async (history: ExamHistory, final: Map<string, Result>): Promise<Map<string, Result>> => {
  const back = [...final.keys()].filter(() => history.random(2) === 0);
  for (const answer of await Promise.all(
    back.map((id) => history.tenant.api.post(`/submissions/${id}/unfinalize`, { reason: 'To go on.' })),
  )) {
    expect(answer.status).toBe(200);
  }
  return new Map([...final].filter(([id]) => !back.includes(id)));
};

/** Before a round: a worker claims and marks the waiting runs without ending them. */
const takeRuns = async (history: ExamHistory): Promise<void> => {
  const waiting = await behind.query<{ id: string; institute_id: string; submission_id: string }>(
    `update runs set status = 'released', released_at = clock_timestamp(), delivery = delivery + 1
     where status in ('queued', 'released') and submission_id = any($1::uuid[])
     returning id, institute_id, submission_id`,
    [history.live.filter(() => history.random(4) > 0).map(({ id }) => id)],
  );
  await Promise.all(
    waiting.map(async (run) => {
      const held = await testWorker(service).deliver(run);
      if (held === null) return;
      await held.mark(1, ['2']);
      await held.mark(history.random(3) === 0 ? 'failed' : 1.5, ['3']);
      history.held.set(run.submission_id, held);
    }),
  );
};

/** Reads everything after a round and checks that it agrees. @returns the final results, by submission */
const look = async (history: ExamHistory): Promise<Map<string, Result>> => {
  const { api } = history.tenant;
  const path = `/exams/${history.exam.id}`;
  const [exam, submissions, results] = await Promise.all([
    api.get<Exam>(path),
    api.get<SubmissionList>(`${path}/submissions?limit=200`),
    api.get<ResultList>(`${path}/results?limit=50&finalized=true`),
  ]);
  const live = submissions.body.data;
  const left = history.live.filter(({ id }) => !live.some((one) => one.id === id));
  history.notLive = [...history.notLive, ...left.map(({ id }) => id)].slice(-5);
  history.live = live;
  expect(exam.body.status).toBe(
    live.length > 0 && live.every(({ finalized }) => finalized) ? 'finalized' : 'open',
  );
  const final = new Map(results.body.data.map((result) => [result.submission_id, result]));
  expect([...final.keys()].toSorted()).toEqual(
    live
      .filter(({ finalized }) => finalized)
      .map(({ id }) => id)
      .toSorted(),
  );
  if (exam.body.status === 'finalized') done.set('exam is final', (done.get('exam is final') ?? 0) + 1);
  return final;
};

const race = async (tenant: Tenant, seed: number): Promise<void> => {
  const exam = await createExam(
    tenant.api,
    typedExam([mcq('1'), longAnswer('2'), longAnswer('3')], { title: `Races ${seed}` }),
  );
  const history: ExamHistory = { tenant, exam, random: seeded(seed), live: [], notLive: [], held: new Map() };
  let final = new Map<string, Result>();
  // Goes on beyond ROUNDS until each kind of event has happened, up to four times ROUNDS.
  const isOver = (round: number) =>
    round >= ROUNDS && (KINDS.every((kind) => done.has(kind)) || round >= 4 * ROUNDS);
  for (let round = 0; !isOver(round); round += 1) {
    const before = await takeBack(history, final);
    await takeRuns(history);
    const asked = [
      randomRequest(history, FINALIZE),
      ...Array.from({ length: AT_ONCE - 1 }, () => randomRequest(history, OTHERS)),
    ];
    // Sent within a few milliseconds, in varying order.
    const sent = [...asked, ...reports(history)].map(async (send) => {
      await wait(history.random(SPREAD_MS));
      await send();
    });
    await Promise.allSettled(sent);
    await Promise.all(sent);
    final = await look(history);
    for (const [id, result] of final) {
      const earlier = before.get(id);
      // An equal time shows that the submission stayed final: another finalization would have changed the time.
      if (earlier?.finalized_at === result.finalized_at) expect(result).toEqual(earlier);
    }
  }
};

test(
  'requests that race with finalizing change no final result, finalize no exam too early, and never answer 5xx',
  { timeout: 120_000 + ROUNDS * 20_000 },
  async () => {
    const failed = (error: unknown) => {
      throw new Error(`with FINALIZE_SEED=${SEED}`, { cause: error });
    };
    const tenant = await newTenant(service, { credits: 1_000_000, dailyCopyQuota: 1_000_000 });
    const courses = Array.from({ length: EXAMS }, (_, index) => race(tenant, SEED + index));
    await Promise.allSettled(courses);
    await Promise.all(courses).catch(failed);
    await seenBroken()
      .then((violations) => expect(violations).toEqual([]))
      .catch(failed);
    await violationsIn(behind, tenant.instituteId)
      .then((violations) => expect(violations).toEqual([]))
      .catch(failed);
    expect([...done.keys()].toSorted()).toEqual(KINDS.toSorted());
  },
);
