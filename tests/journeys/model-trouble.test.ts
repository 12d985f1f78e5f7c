import {
  closedAfterTests,
  type Behaviour,
  type ModelCallRecord,
  type ModelServer,
  type PageTruth,
} from '@evaluation/test-services';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Exam, Result, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { lookBehind } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { replayOf } from '../harness/replayOf.ts';
import { newTenant, type Tenant } from '../harness/tenant.ts';
import { startWithModel } from '../harness/service.ts';

/*
 * The model is busy, broken, slow or refuses calls (docs/architecture.md#deadlines-and-retries). Each test has its own
 * answers, by which the server tells the calls apart, so that the waits of the tests run in parallel.
 */

const scripts = new Map<string, (call: ModelCallRecord, nth: number) => Behaviour | undefined>();
const callsWith = (mark: string): ModelCallRecord[] =>
  model.calls.filter(({ body }) => JSON.stringify(body).includes(mark));

const { model, service } = await startWithModel({
  MODEL_PRICES: '{"m": {"input": 2, "cached_input": 0.5, "output": 8}}',
  // Long enough for an answered call on a busy machine; ends a hanging call.
  MODEL_CALL_SECONDS: '8',
  INSPECT_CONCURRENCY: '0',
});
closedAfterTests(service);

beforeAll(async () => {
  model.behave((call) => {
    const body = JSON.stringify(call.body);
    for (const [mark, behave] of scripts) {
      if (body.includes(mark)) return behave(call, callsWith(mark).length);
    }
    return undefined;
  });
});

interface Graded {
  tenant: Tenant;
  submission: Submission;
  result: Result;
  calls: ModelCallRecord[];
}

let marks = 0;
/** Submits long answers with the test's marker, and waits until grading is over. */
const gradeWith = async (
  behave: (call: ModelCallRecord, nth: number, answer: number) => Behaviour | undefined,
  answers = 1,
): Promise<Graded> => {
  const mark = `marker${(marks += 1)}x`;
  for (let answer = 1; answer <= answers; answer += 1) {
    scripts.set(`${mark}${answer}.`, (call, nth) => behave(call, nth, answer));
  }
  const tenant = await newTenant(service, { credits: 10 });
  const labels = Array.from({ length: answers }, (_, index) => `L${index + 1}`);
  const exam: Exam = await createExam(tenant.api, typedExam(labels.map((label) => longAnswer(label))));
  const accepted = await submit(tenant.api, exam.id, {
    candidate: { external_id: 'c' },
    answers: labels.map((label, index) => ({
      question_label: label,
      text: `An answer with ${mark}${index + 1}. It says more.`,
    })),
  });
  expect(await tenant.credits()).toMatchObject({ balance: 10, committed: answers });
  const submission = await untilOver(tenant.api, accepted.id);
  return { tenant, submission, result: await resultOf(tenant.api, accepted.id), calls: callsWith(mark) };
};

describe.concurrent('a temporary failure of the model', () => {
  const first =
    (behaviour: Behaviour, times = 1) =>
    (_call: ModelCallRecord, nth: number): Behaviour | undefined =>
      nth <= times ? behaviour : undefined;

  const troubles: [name: string, behaviour: Behaviour, times: number][] = [
    ['429 with Retry-After', { kind: 'status', status: 429, retryAfterSeconds: 1 }, 1],
    ['429 without retry-after', { kind: 'status', status: 429 }, 1],
    ['500, three times', { kind: 'status', status: 500 }, 3],
    ['503', { kind: 'status', status: 503 }, 1],
    ['a key that is refused at first', { kind: 'status', status: 401 }, 1],
    ['a connection that breaks in the middle', { kind: 'cut' }, 1],
    ['no answer in time', { kind: 'hang' }, 1],
    ['JSON that breaks off, twice', { kind: 'truncated' }, 2],
    ['JSON that breaks the schema, twice', { kind: 'violating' }, 2],
    ['a page of HTML', { kind: 'html' }, 1],
    ['text that is not JSON', { kind: 'content', content: 'I would give full marks.' }, 1],
  ];
  test.for(troubles)('%s: all answers graded, with one more call for each', async ([, behaviour, times]) => {
    const { submission, result, tenant, calls } = await gradeWith(first(behaviour, times));
    expect(submission).toMatchObject({
      status: 'graded',
      credits_charged: 1,
      error: null,
      attempt_count: 1,
    });
    expect(result.questions[0]).toMatchObject({ status: 'graded', awarded: 2, error: null });
    expect(calls).toHaveLength(times + 1);
    expect(await tenant.credits()).toEqual({ balance: 9, credit_limit: 0, committed: 0 });
  });

  test('a question that never ends: three time-outs, and the other questions of its submission are graded', async () => {
    const { submission, result, calls } = await gradeWith(
      (_call, _nth, answer) => (answer === 2 ? { kind: 'hang' } : undefined),
      3,
    );
    expect(submission).toMatchObject({ status: 'partially_graded', error: null, attempt_count: 1 });
    expect(result.questions.map(({ status }) => status)).toEqual(['graded', 'failed', 'graded']);
    expect(result.questions[1]?.error).toEqual({
      code: 'grading_failed',
      message: 'The model gave no answer to this question, time and again.',
    });
    expect(calls).toHaveLength(2 + 3);
  });

  test('a run is stored with its token usage, cost and prompts', async () => {
    const { submission, calls } = await gradeWith(first({ kind: 'status', status: 500 }), 2);
    const behind = lookBehind(service.database);
    const [run] = await behind.query<{ grader: unknown; usage: Record<string, unknown> }>(
      `select grader, usage from runs where submission_id = '${submission.id}'`,
    );
    await behind.close();
    expect(run?.grader).toEqual({
      provider: 'openai',
      model: 'm',
      prompt_versions: [expect.stringMatching(/^judge_answer\/\d+$/)],
    });
    expect(run?.usage).toEqual({
      calls: calls.length,
      input_tokens: expect.any(Number),
      cached_input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      duration_ms: expect.any(Number),
      cost: { amount: expect.stringMatching(/^0\.00\d+$/), currency: 'USD' },
      by_call: { judge_answer: { calls: calls.length, duration_ms: expect.any(Number) } },
    });
  });

  test('a failed run is also stored with its token usage', async () => {
    const { submission, calls } = await gradeWith(() => ({ kind: 'violating' }));
    expect(submission.status).toBe('failed');
    expect(calls).toHaveLength(3);
    const behind = lookBehind(service.database);
    const [run] = await behind.query<{ grader: unknown; usage: unknown }>(
      `select grader, usage from runs where submission_id = '${submission.id}'`,
    );
    await behind.close();
    expect(run).toMatchObject({
      grader: { prompt_versions: [expect.stringMatching(/^judge_answer\/\d+$/)] },
      usage: {
        calls: 3,
        cost: { amount: expect.stringMatching(/^0\.00\d+$/), currency: 'USD' },
        by_call: { judge_answer: { calls: 3 } },
      },
    });
  });

  test('a slow model that answers in time is called once', async () => {
    const { submission, calls } = await gradeWith(first({ kind: 'slow', ms: 500 }));
    expect(submission.status).toBe('graded');
    expect(calls).toHaveLength(1);
  });

  test('marks out of range are corrected by code and flagged for review', async () => {
    const tooMuch = {
      criterion_1: { evidence: 'It says more.', reason: 'x', awarded: 99, certainty: 'certain' },
      addresses_grader: false,
      feedback: 'Good.',
    };
    const { submission, result } = await gradeWith(first({ kind: 'content', content: tooMuch }));
    expect(submission).toMatchObject({ status: 'graded', needs_review: true });
    expect(result.questions[0]).toMatchObject({ awarded: 2, max: 2, needs_review: true });
    expect(result.questions[0]?.review_reasons).toContain('low_confidence');
  });
});

describe.concurrent('a lasting failure of the model', () => {
  test('a question whose reply is always malformed fails; the submission is partially_graded and charged in full', async () => {
    const { submission, result, tenant, calls } = await gradeWith(
      (_call, _nth, answer) => (answer === 2 ? { kind: 'violating' } : undefined),
      3,
    );
    expect(submission).toMatchObject({
      status: 'partially_graded',
      credits_charged: 3,
      error: null,
      needs_review: true,
      progress: { questions_done: 3, questions_total: 3 },
    });
    expect(result.questions.map(({ status }) => status)).toEqual(['graded', 'failed', 'graded']);
    expect(result.questions[1]).toMatchObject({
      awarded: null,
      source: null,
      needs_review: true,
      review_reasons: ['failed'],
      error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
    });
    expect(result.questions[1]?.extracted_answer).toContain('An answer with');
    expect(result.totals).toEqual({
      awarded: 4,
      max: 6,
      percentage: 66.67,
      questions_graded: 2,
      questions_failed: 1,
    });
    expect(calls).toHaveLength(1 + 3 + 1);
    expect(await tenant.credits()).toEqual({ balance: 7, credit_limit: 0, committed: 0 });
  });
});

// One run at a time, and an answered call between two runs: refusals of several runs and no answer pause the lane.
describe('a refusal of everything', () => {
  const answered = async (): Promise<void> => {
    expect((await gradeWith(() => undefined)).submission.status).toBe('graded');
  };
  beforeEach(answered);
  afterAll(answered);

  test.for([400, 422])(
    'a model that answers %i to everything: failed, not charged, four calls at most',
    async (status) => {
      const { submission, result, tenant, calls } = await gradeWith(() => ({ kind: 'status', status }), 2);
      expect(submission).toMatchObject({
        status: 'failed',
        credits_charged: null,
        error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
        queue: null,
      });
      expect(result).toMatchObject({
        status: 'failed',
        credits_charged: null,
        graded_at: null,
        error: submission.error,
      });
      expect(result.questions.map((question) => question.status)).toEqual(['failed', 'failed']);
      expect(calls.length).toBeLessThanOrEqual(2 * 4);
      expect(await tenant.credits()).toEqual({ balance: 10, credit_limit: 0, committed: 0 });
      // The endpoint repeats the request in its error; no part of it reaches the client.
      for (const secret of ['sk-not-a-real-key', 'marker', String(status)]) {
        expect(JSON.stringify([submission.error, result.questions.map(({ error }) => error)])).not.toContain(
          secret,
        );
      }
    },
  );
});

// After the others: these calls send pictures, which carry no marker.
describe('a failure of the model with a copy', () => {
  const read: PageTruth = {
    blocks: [
      { label: 'Q1', text: 'Because of this.' },
      { label: 'Q2', text: 'B' },
    ],
  };
  const stray = { label: null, text: 'See the last page.' };
  const gradeCopy = async (page: PageTruth, script: Parameters<ModelServer['behave']>[0]) => {
    model.reset();
    model.know({ pagesByNumber: { 1: page } });
    model.behave(script);
    const tenant = await newTenant(service, { credits: 10 });
    const exam = await createExam(tenant.api, handwrittenExam());
    const accepted = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'c' },
      upload_id: await uploadInspected(tenant.api, service.database, 1),
    });
    const submission = await untilOver(tenant.api, accepted.id);
    return { tenant, submission, result: await resultOf(tenant.api, accepted.id) };
  };
  const calls = (): Record<string, number> =>
    Object.fromEntries(
      Object.entries(Object.groupBy(model.calls, ({ schemaName }) => schemaName ?? '')).map(
        ([name, made]) => [name, made?.length ?? 0],
      ),
    );
  const refunded = async ({
    tenant,
    submission,
    result,
  }: Awaited<ReturnType<typeof gradeCopy>>): Promise<void> => {
    expect(submission).toMatchObject({ status: 'failed', credits_charged: null });
    expect(result.checked_copy).toEqual({ available: false, download_path: null });
    expect(result.questions.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await tenant.credits()).toEqual({ balance: 10, credit_limit: 0, committed: 0 });
  };

  test('failed reading, alignment and judging calls are each repeated: the copy is graded, and crossed-out writing raises no flag', async () => {
    const { submission, result } = await gradeCopy(
      { blocks: [{ ...stray, crossedOut: true }, ...read.blocks] },
      [
        { schemaName: 'read_pages', times: 1, behaviour: { kind: 'status', status: 500 } },
        { schemaName: 'align_answers', times: 1, behaviour: { kind: 'truncated' } },
        { schemaName: 'judge_answer', times: 1, behaviour: { kind: 'status', status: 429 } },
      ],
    );
    expect(submission).toMatchObject({ status: 'graded', credits_charged: 1 });
    // The failures passed, and crossed-out writing belongs to no question: no flags.
    expect(submission).toMatchObject({ needs_review: false, review_reasons: [] });
    expect(result.questions.map(({ awarded }) => awarded)).toEqual([2, 1]);
    expect(calls()).toEqual({ read_pages: 2, align_answers: 2, judge_answer: 3 });
  });

  test('a copy that the model refuses to read fails and is not charged, and no further calls are made', async () => {
    const graded = await gradeCopy(read, [{ behaviour: { kind: 'status', status: 400 } }]);
    await refunded(graded);
    expect(graded.submission.error?.code).toBe('grading_failed');
    expect(Object.keys(calls())).toEqual(['read_pages']);
    expect(calls()['read_pages']).toBeLessThanOrEqual(4);
  });

  test('a copy on which nothing can be read fails as copy_unreadable', async () => {
    const graded = await gradeCopy({ blocks: [], legibility: 0 }, []);
    await refunded(graded);
    expect(graded.submission.error?.code).toBe('copy_unreadable');
    expect(calls()).toEqual({ read_pages: 1 });
  });

  test('a copy in another language fails as language_not_supported', async () => {
    const graded = await gradeCopy({ blocks: [{ label: '1', text: 'कुछ भी' }], language: 'other' }, []);
    await refunded(graded);
    expect(graded.submission.error?.code).toBe('language_not_supported');
  });

  test('writing that belongs to no question is flagged for review', async () => {
    const { submission, result } = await gradeCopy({ blocks: [stray, ...read.blocks] }, []);
    expect(submission).toMatchObject({
      status: 'graded',
      needs_review: true,
      review_reasons: ['unassigned_writing'],
    });
    expect(result.questions.map(({ needs_review }) => needs_review)).toEqual([false, false]);
  });

  test('each question without an answer is listed for review if some writing belongs to no question, and its replay agrees', async () => {
    const { submission, result } = await gradeCopy({ blocks: [stray, ...read.blocks.slice(0, 1)] }, []);
    const shown = result.questions.map(({ status, awarded, needs_review, review_reasons }) => ({
      status,
      awarded,
      needs_review,
      review_reasons,
    }));
    expect(shown).toEqual([
      { status: 'graded', awarded: 2, needs_review: false, review_reasons: [] },
      { status: 'not_answered', awarded: 0, needs_review: true, review_reasons: ['unassigned_writing'] },
    ]);
    const again = await replayOf(service.environment, submission.id);
    expect(again.differences).toEqual([]);
    expect(again.outcome.questions).toMatchObject(shown);
  });
});
