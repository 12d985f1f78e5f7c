import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Exam, ExamList, Question, QuestionList, RubricList } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import {
  createExam,
  resultOf,
  submit,
  untilOver,
  type ApiClient,
  type ErrorBody,
} from '../../harness/api.ts';
import { eventually } from '../../harness/ledger.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { expectError, newTenant } from '../../harness/tenant.ts';
import { startService } from '../../harness/service.ts';

/* Answers of an exam while a lock, held by the tests, delays the work behind it. */

let holder: pg.Client;
let api: ApiClient;
const service = closedAfterTests(
  await startService({ COPY_CONCURRENCY: '0', KEY_CACHE_SECONDS: '30', TICK_MS: '100' }),
);
beforeEach(async () => {
  ({ api } = await newTenant(service));
  // Caches the key, since a test locks the table of keys.
  await api.get('/me');
  holder = new pg.Client({ connectionString: service.database.superuserUrl });
  await holder.connect();
});
afterEach(() => holder.end());

const hold = async (table: string, mode: 'access exclusive' | 'exclusive' = 'access exclusive') => {
  await holder.query('begin');
  await holder.query(`lock table ${table} in ${mode} mode`);
};
const releaseLocks = () => holder.query('commit');

/** Expects the answer sooner than the time for which saving rubrics is tried (SAVE_MS). */
const atOnce = async <T>(answer: Promise<T>): Promise<T> => {
  const began = performance.now();
  const answered = await answer;
  expect(performance.now() - began).toBeLessThan(2000);
  return answered;
};

const rubric = {
  criteria: [
    { name: 'Law', marks: 1.25, keywords: ['inertia'] },
    { name: 'Unit', marks: 0.75 },
  ],
};
const paper = typedExam([
  longAnswer('1', { rubric, model_answer: 'Inertia, in newtons.' }),
  longAnswer('2', { model_answer: 'Two' }),
  longAnswer('3', { model_answer: null }),
  mcq('4'),
]);
const asSaved = { version: 1, locked: false, questions_with_rubric: 1, questions_without_rubric: 2 };
const { version: _version, ...counts } = asSaved;
const asPending = { ...counts, sync: 'pending' };

describe('quote', () => {
  test('a price that cannot be read in time is omitted, and the exam is created anyway', async () => {
    await hold('institutes');
    const exam = await createExam(api, paper);
    expect(exam).toMatchObject({ status: 'open', question_count: 4, rubric: asSaved });
    expect(exam).not.toHaveProperty('quote');
    expect((await api.get<Exam>(`/exams/${exam.id}`)).body).toEqual(exam);
    expect((await api.get<ExamList>('/exams')).body.data).toHaveLength(1);
    await releaseLocks();
    expect((await api.get<Exam>(`/exams/${exam.id}`)).body).toEqual({
      ...exam,
      quote: { unit: 'answer', credits_per_page: 1, rate_source: 'standard' },
    });
  });
});

describe('rubric.sync', () => {
  test('with rubrics that cannot be saved at once, the exam is created with status pending, and saves them later by itself', async () => {
    await hold('rubric_versions');
    const exam = await createExam(api, { ...paper, open: false });
    expect(exam.rubric).toEqual(asPending);
    expect(exam.warnings.map(({ code }) => code)).toEqual(['rubric_marks_not_half_step', 'auto_rubric']);
    // Reads meanwhile show the same, and failed retries change nothing visible.
    await eventually('a retry failed', async () => {
      const { rows } = await holder.query<{ attempts: number }>(
        'select attempts from pending_rubrics where exam_id = $1',
        [exam.id],
      );
      return (rows[0]?.attempts ?? 0) > 1;
    });
    expect((await api.get<Exam>(`/exams/${exam.id}`)).body).toEqual(exam);
    await releaseLocks();
    const saved = await eventually('the rubrics are saved', async () => {
      const { body } = await api.get<Exam>(`/exams/${exam.id}`);
      return body.rubric.sync === undefined && body;
    });
    expect(saved).toEqual({ ...exam, rubric: asSaved, updated_at: saved.updated_at });
    expect(Date.parse(saved.updated_at)).toBeGreaterThan(Date.parse(exam.updated_at));
    const { body } = await api.get<RubricList>(`/exams/${exam.id}/rubrics`);
    expect(body).toMatchObject({
      version: 1,
      questions: [
        { label: '1', rubric, model_answer: 'Inertia, in newtons.' },
        { label: '2', rubric: null, model_answer: 'Two' },
        { label: '3', rubric: null, model_answer: null },
      ],
    });
  });

  test('a list, an edit and a new question save pending rubrics first', async () => {
    await hold('rubric_versions');
    const [listed, edited, grown] = [
      await createExam(api, { ...paper, open: false }),
      await createExam(api, { ...paper, open: false }),
      await createExam(api, { ...paper, open: false }),
    ];
    expectError(await api.get<ErrorBody>(`/exams/${listed.id}/rubrics`), 503, 'service_unavailable');
    await releaseLocks();

    expect((await api.get<RubricList>(`/exams/${listed.id}/rubrics`)).body).toMatchObject({
      version: 1,
      questions: [{ rubric }, { model_answer: 'Two' }, {}],
    });
    const [, second] = edited.questions;
    const patched = await api.patch<{ version: number }>(`/exams/${edited.id}/rubrics`, {
      questions: { [second?.id ?? '']: { model_answer: 'Other' } },
    });
    expect(patched.body.version).toBe(2);
    await api.post(`/exams/${grown.id}/questions`, { questions: [longAnswer('5')] });
    const { body } = await api.get<QuestionList>(`/exams/${grown.id}/questions?include=rubric,model_answer`);
    const shown = body.questions.map(({ rubric: of, model_answer }: Question) => [of ?? null, model_answer]);
    expect(shown.slice(0, 2)).toMatchObject([
      [rubric, 'Inertia, in newtons.'],
      [null, 'Two'],
    ]);
    expect((await api.get<Exam>(`/exams/${grown.id}`)).body.rubric).toMatchObject({
      version: 2,
      questions_with_rubric: 1,
    });
  });

  test('a list, an edit and objective answers that need no rubrics do not wait for pending ones', async () => {
    await hold('rubric_versions');
    const exam = await createExam(api, paper);
    const id = exam.questions.find(({ label }) => label === '4')?.id ?? '';
    const { body } = await atOnce(api.get<QuestionList>(`/exams/${exam.id}/questions`));
    expect(body.questions).toHaveLength(4);
    const edited = await atOnce(api.patch<Question>(`/exams/${exam.id}/questions/${id}`, { text: 'New?' }));
    expect(edited).toMatchObject({ status: 200, body: { text: 'New?' } });
    const submission = await atOnce(
      submit(api, exam.id, {
        candidate: { external_id: 'objective' },
        answers: [{ question_label: '4', option_labels: ['A'] }],
      }),
    );
    // The pending version has no number yet.
    expect(submission).toMatchObject({ status: 'graded', rubric_version: null });
    await releaseLocks();
  });

  test('a request that waits for the rubrics answers with a Retry-After of a few seconds', async () => {
    const exam = await createExam(api, { ...paper, open: false });
    await holder.query('begin');
    await holder.query('select from exams where id = $1 for update', [exam.id]);
    const began = performance.now();
    const path = `/exams/${exam.id}/open`;
    expectError(await api.post<ErrorBody>(path), 503, 'service_unavailable');
    expect(performance.now() - began).toBeLessThan(6000);
    await releaseLocks();
    expect((await api.post(path)).status).toBe(200);
  });

  test('deleting a question while its rubrics are pending deletes them too', async () => {
    await hold('rubric_versions');
    const exam = await createExam(api, { ...paper, open: false });
    // The state that a process leaves which died right after it created the exam.
    await releaseLocks();
    const [first] = exam.questions;
    expect((await api.delete(`/exams/${exam.id}/questions/${first?.id}`)).status).toBe(200);
    const { body } = await api.get<RubricList>(`/exams/${exam.id}/rubrics`);
    expect(body).toMatchObject({ version: 1, questions: [{ label: '2' }, { label: '3' }] });
  });

  test('a run waits for pending rubrics, and is marked by them', async () => {
    await hold('rubric_versions', 'exclusive');
    const exam = await createExam(api, typedExam([longAnswer('1', { rubric })]));
    expect(exam.rubric).toMatchObject({ sync: 'pending', questions_with_rubric: 1 });
    const submission = await submit(api, exam.id, {
      candidate: { external_id: 'early' },
      answers: [{ question_label: '1', text: 'inertia' }],
    });
    expect(submission).toMatchObject({ status: 'queued', rubric_version: null });
    await releaseLocks();
    expect(await untilOver(api, submission.id)).toMatchObject({
      status: 'graded',
      rubric_version: 1,
    });
    const { questions } = await resultOf(api, submission.id);
    expect(questions[0]?.criteria.map(({ name, max }) => [name, max])).toEqual([
      ['Law', 1.25],
      ['Unit', 0.75],
    ]);
  });
});
