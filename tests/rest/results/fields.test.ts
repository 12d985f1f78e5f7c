import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RecordedQuestion } from '@evaluation/core-client';
import type { Exam, QuestionResult, Result, ResultList, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, resultOf, submit, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { recordedResult, type TestClaim } from '../../harness/testWorker.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { gradeRun, takeRun } from '../../harness/takeRun.ts';
import {
  expectError,
  expectInvalid,
  newTenant,
  startIdleService,
  type Tenant,
} from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService());

const PAPER = typedExam([
  mcq('1', { section: 'Objective' }),
  longAnswer('2', { section: 'Essays', model_answer: 'The model answer.' }),
  longAnswer('3', { section: 'Essays', max_marks: 1 }),
]);
const ANSWERS = [
  { question_label: '1', option_labels: ['B'] },
  { question_label: '2', text: 'Because of this.' },
  { question_label: '3', text: 'Because of that.' },
];

interface Submitted {
  tenant: Tenant;
  exam: Exam;
  accepted: Submission;
  result(query?: string): Promise<Result>;
  take(): Promise<TestClaim>;
}
const submitted = async (paper: object = PAPER, body: object = { answers: ANSWERS }): Promise<Submitted> => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, paper);
  const candidate = { external_id: 'asha', name: 'Asha Rao', roll_number: '7' };
  const accepted = await submit(tenant.api, exam.id, { candidate, ...body });
  return {
    tenant,
    exam,
    accepted,
    result: (query) => resultOf(tenant.api, accepted.id, query),
    take: () => takeRun(service, accepted.id),
  };
};

const record = async (
  { material, held }: TestClaim,
  label: string,
  change: Partial<RecordedQuestion>,
): Promise<void> => {
  const question = material.questions.find((one) => one.label === label);
  await service.grading.as({}).grading.record.mutate({
    held,
    questions: [{ result: { ...recordedResult(question?.id ?? '', 1), ...change } }],
  });
};
const questionOf = (result: Result, label: string): QuestionResult => {
  const found = result.questions.find((question) => question.label === label);
  if (found === undefined) throw new Error(`no question ${label}`);
  return found;
};

describe('the result', () => {
  test('has these fields and no others, in the single result and in the exam’s list', async () => {
    const { tenant, exam, result } = await submitted();
    const single = await result();
    expect(Object.keys(single).toSorted()).toEqual(
      [
        'submission_id',
        'exam_id',
        'candidate',
        'status',
        'needs_review',
        'review_reasons',
        'finalized',
        'finalized_at',
        'rubric_version',
        'totals',
        'questions',
        'checked_copy',
        'graded_at',
        'credits_charged',
        'error',
      ].toSorted(),
    );
    const list = await tenant.api.get<ResultList>(`/exams/${exam.id}/results`);
    expect(list.body).toEqual({ data: [single], next_cursor: null, has_more: false });
  });

  test('`candidate` has name and roll number, null where there is none', async () => {
    const { tenant, exam, accepted, result } = await submitted();
    expect((await result()).candidate).toEqual({
      id: accepted.candidate.id,
      external_id: 'asha',
      name: 'Asha Rao',
      roll_number: '7',
    });
    const unnamed = await submit(tenant.api, exam.id, { candidate: { external_id: 'b' }, answers: [] });
    expect((await resultOf(tenant.api, unnamed.id)).candidate).toMatchObject({
      name: null,
      roll_number: null,
    });
  });

  test('on a blind exam `name` is null, in the single result and in the list', async () => {
    const { tenant, exam, result } = await submitted({ ...PAPER, blind: true });
    const blind = { external_id: 'asha', name: null, roll_number: '7' };
    expect((await result()).candidate).toMatchObject(blind);
    const list = await tenant.api.get<ResultList>(`/exams/${exam.id}/results`);
    expect(list.body.data[0]?.candidate).toMatchObject(blind);
  });

  test('status, flags, version, charge and error equal the submission’s, in every status', async () => {
    const { tenant, accepted, result, take } = await submitted();
    const agree = async (): Promise<Result> => {
      const { body } = await tenant.api.get<Submission>(`/submissions/${accepted.id}`);
      const shown = await result();
      for (const field of [
        'exam_id',
        'status',
        'needs_review',
        'review_reasons',
        'finalized',
        'finalized_at',
        'rubric_version',
        'credits_charged',
        'error',
      ] as const) {
        expect(shown[field], field).toEqual(body[field]);
      }
      expect(shown.submission_id).toBe(body.id);
      return shown;
    };
    const again = () => tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect(await agree()).toMatchObject({ status: 'queued', rubric_version: null });
    const failing = await take();
    expect(await agree()).toMatchObject({ status: 'grading', rubric_version: 1 });
    await failing.fail('nothing_readable');
    expect(await agree()).toMatchObject({ status: 'failed', error: { code: 'copy_unreadable' } });
    await again();
    const held = await take();
    await held.complete(1, ['unassigned_ink']);
    expect(await agree()).toMatchObject({ review_reasons: ['unassigned_ink'], credits_charged: 2 });
    await behind(service.database, 'update submissions set finalized_at = now() where id = $1', [
      accepted.id,
    ]);
    expect(await agree()).toMatchObject({ status: 'graded', finalized: true });
  });

  test('`graded_at` is when grading completed: null before, during a re-evaluation, and after a failure', async () => {
    const { tenant, accepted, result, take } = await submitted();
    expect((await result()).graded_at).toBeNull();
    const before = Date.now();
    await gradeRun(service, accepted.id);
    const { graded_at } = await result();
    expect(Date.parse(graded_at ?? '')).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(graded_at ?? '')).toBeLessThanOrEqual(Date.now() + 1000);
    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect((await result()).graded_at).toBeNull();
    await (await take()).fail('timed_out');
    expect((await result()).graded_at).toBeNull();
  });

  test('`totals` add up the marks that count, and the numbers of graded and failed questions', async () => {
    const { accepted, result, take } = await submitted();
    const held = await take();
    expect((await result()).totals).toEqual({
      awarded: 1,
      max: 4,
      percentage: 25,
      questions_graded: 1,
      questions_failed: 0,
    });
    await record(held, '2', { awarded: 1.333333 });
    await record(held, '3', {
      status: 'failed',
      awarded: null,
      error: { reason: 'question_not_graded' },
    });
    await held.complete();
    expect((await result()).totals).toEqual({
      awarded: 2.333333,
      max: 4,
      percentage: 58.33,
      questions_graded: 2,
      questions_failed: 1,
    });
    // A question that does not count is in neither sum, but is graded.
    await behind(
      service.database,
      `update question_results r set counted = false from submissions s
       where r.run_id = s.current_run_id and s.id = $1 and r.question_id = $2`,
      [accepted.id, questionOf(await result(), '1').question_id],
    );
    expect((await result()).totals).toEqual({
      awarded: 1.333333,
      max: 3,
      percentage: 44.44,
      questions_graded: 2,
      questions_failed: 1,
    });
    expect(questionOf(await result(), '1')).toMatchObject({ counted: false, awarded: 1, max: 1 });
  });

  test('`checked_copy` is available with its path only while it matches the marks', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, handwrittenExam());
    const upload_id = await uploadCopy(tenant.api, plainPdf(1));
    const { id } = await submit(tenant.api, exam.id, { candidate: { external_id: 'asha' }, upload_id });
    const shown = async () => (await resultOf(tenant.api, id)).checked_copy;
    const none = { available: false, download_path: null };
    expect(await shown()).toEqual(none);
    await gradeRun(service, id);
    expect(await shown(), 'none could be drawn').toEqual(none);
    await behind(
      service.database,
      `insert into checked_copies (institute_id, submission_id, marks_revision, object_key, size_bytes)
       select institute_id, id, marks_revision, 'k', 1 from submissions where id = $1`,
      [id],
    );
    expect(await shown()).toEqual({ available: true, download_path: `/submissions/${id}/checked-copy` });
    await tenant.api.post(`/submissions/${id}/re-evaluate`);
    expect(await shown(), 'of earlier marks').toEqual(none);
  });

  test.each([randomUUID(), 'no-uuid'])('%s answers not_found to every request for its result', async (id) => {
    const { api } = await newTenant(service);
    expectError(await api.get(`/submissions/${id}/result?include=everything`), 404, 'not_found');
  });
});

describe('question results', () => {
  test('every question of the paper has a result, in paper order, with label, section and maximum', async () => {
    const { exam, result } = await submitted();
    const shown = await result();
    expect(shown.questions.map(({ question_id }) => question_id)).toEqual(exam.questions.map(({ id }) => id));
    expect(shown.questions.map(({ label, section, max }) => [label, section, max])).toEqual([
      ['1', 'Objective', 1],
      ['2', 'Essays', 2],
      ['3', 'Essays', 1],
    ]);
    expect(questionOf(shown, '2')).toEqual({
      question_id: expect.any(String),
      label: '2',
      section: 'Essays',
      status: 'pending',
      counted: true,
      awarded: null,
      max: 2,
      source: null,
      confidence: null,
      needs_review: false,
      review_reasons: [],
      extracted_answer: null,
      feedback: null,
      criteria: [],
      review: {
        reviewer: { ref: null, name: null },
        reason: null,
        edited: false,
        edited_at: null,
        approved: false,
      },
      error: null,
    });
  });

  test('a graded question has marks, source, confidence, extracted answer, feedback and criteria', async () => {
    const { result, take } = await submitted();
    const held = await take();
    await record(held, '2', {
      awarded: 1.5,
      confidence: 0.87,
      extracted_answer: 'Because.',
      feedback: '2 < 3, and so on.',
      criteria: [
        { name: 'Cause', awarded: 1, max: 1, reason: 'It is named.' },
        { name: 'Style', awarded: null, max: null, reason: null },
      ],
    });
    await held.complete({ 3: 1 });
    const shown = await result();
    expect(questionOf(shown, '2')).toMatchObject({
      status: 'graded',
      awarded: 1.5,
      source: 'ai',
      confidence: 0.87,
      needs_review: false,
      extracted_answer: 'Because.',
      feedback: '2 < 3, and so on.',
      criteria: [
        { name: 'Cause', awarded: 1, max: 1, reason: 'It is named.' },
        { name: 'Style', awarded: null, max: null, reason: null },
      ],
    });
    expect(questionOf(shown, '1')).toMatchObject({ source: 'auto', confidence: null, feedback: null });
  });

  test('a failed question needs review and has its error; other questions have no error', async () => {
    const { result, take } = await submitted();
    const held = await take();
    await held.complete({ 2: 'failed', 3: 1 });
    const shown = await result();
    expect(questionOf(shown, '2')).toMatchObject({
      status: 'failed',
      awarded: null,
      source: null,
      needs_review: true,
      review_reasons: ['failed'],
      error: { code: 'grading_failed', message: expect.any(String) },
    });
    expect(questionOf(shown, '3')).toMatchObject({ status: 'graded', needs_review: false, error: null });
    expect(shown).toMatchObject({ status: 'partially_graded', error: null, needs_review: true });
  });

  test.each([
    ['pending', 0],
    ['failed', 2],
    ['cancelled', 0],
  ] as const)(
    'AI marks of a run that is not charged are %s, without mark and feedback; marks by key stay',
    async (status, failed) => {
      const { tenant, accepted, result, take } = await submitted();
      const held = await take();
      await held.mark({ 3: 1 });
      if (status === 'failed') await held.fail('timed_out');
      if (status === 'cancelled') await tenant.api.post(`/submissions/${accepted.id}/cancel`);
      const shown = await result();
      const hidden = { status, awarded: null, feedback: null };
      expect(shown.questions).toMatchObject([{ status: 'graded', awarded: 1 }, hidden, hidden]);
      expect(shown.totals).toMatchObject({ awarded: 1, questions_graded: 1, questions_failed: failed });
      if (status !== 'failed') return;
      expect(shown.error?.code).toBe('timed_out');
      for (const { needs_review, review_reasons, error } of shown.questions.slice(1)) {
        expect([needs_review, review_reasons, error?.code]).toEqual([true, ['failed'], 'timed_out']);
      }
    },
  );

  test('a question without an answer is not_answered, with 0 marks that count', async () => {
    const { result } = await submitted(PAPER, { answers: [ANSWERS[1]] });
    expect(questionOf(await result(), '3')).toMatchObject({
      status: 'not_answered',
      counted: true,
      awarded: 0,
      source: null,
      needs_review: false,
    });
  });

  test('a re-evaluation shows its own marks, and none of the earlier run’s, also after it is cancelled', async () => {
    const { tenant, accepted, result } = await submitted();
    await gradeRun(service, accepted.id);
    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect(await result()).toMatchObject({ status: 'queued', credits_charged: null });
    expect((await result()).questions.map(({ status, awarded }) => [status, awarded])).toEqual([
      ['graded', 1],
      ['pending', null],
      ['pending', null],
    ]);
    await gradeRun(service, accepted.id, 0.5);
    expect((await result()).questions.map(({ awarded }) => awarded)).toEqual([1, 0.5, 0.5]);
    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    await tenant.api.post(`/submissions/${accepted.id}/cancel`);
    expect((await result()).questions.map(({ awarded }) => awarded)).toEqual([1, null, null]);
    expect(await tenant.credits()).toMatchObject({ balance: 996, committed: 0 });
  });
});

describe('include', () => {
  const ANNOTATION = {
    page: 1,
    kind: 'tick',
    box: { x: 0.1, y: 0.2, width: 0.3, height: 0.05 },
    text: 'Good.',
  } as const;
  const graded = async (): Promise<Submitted> => {
    const submission = await submitted();
    const held = await submission.take();
    await record(held, '2', { annotations: [ANNOTATION] });
    await record(held, '3', {});
    await held.complete();
    return submission;
  };
  const parts = ({ questions }: Result) =>
    questions.map(({ extracted_answer, model_answer, annotations }) => ({
      extracted_answer,
      model_answer,
      annotations,
    }));

  test('`extracted_answer` is included by default; `model_answer` and `annotations` only on request', async () => {
    const { tenant, exam, accepted, result } = await graded();
    const read = 'What was read.';
    const other = 'Because of this, and because of that.';
    const variants: [string, { read?: true; model?: true; marks?: true }][] = [
      ['', { read: true }],
      ['?include=', { read: true }],
      ['?include=annotations', { read: true, marks: true }],
      ['?include=model_answer', { read: true, model: true }],
      ['?include=-extracted_answer', {}],
      ['?include=annotations,model_answer', { read: true, model: true, marks: true }],
      ['?include=model_answer,-extracted_answer,annotations', { model: true, marks: true }],
    ];
    for (const [query, has] of variants) {
      const shown = await result(query);
      expect(parts(shown), query).toEqual([
        {
          ...(has.read && { extracted_answer: 'B' }),
          ...(has.model && { model_answer: null }),
          ...(has.marks && { annotations: [] }),
        },
        {
          ...(has.read && { extracted_answer: read }),
          ...(has.model && { model_answer: 'The model answer.' }),
          ...(has.marks && { annotations: [ANNOTATION] }),
        },
        {
          ...(has.read && { extracted_answer: read }),
          ...(has.model && { model_answer: other }),
          ...(has.marks && { annotations: [] }),
        },
      ]);
      // `toEqual` treats an undefined field as missing; this checks that the field is absent.
      expect('model_answer' in (shown.questions[0] ?? {}), query).toBe(has.model === true);
      const { body } = await tenant.api.get<ResultList>(`/exams/${exam.id}/results${query}`);
      expect(body.data, query).toEqual([shown]);
    }
    const refused = await tenant.api.get(`/submissions/${accepted.id}/result?include=everything`);
    expect(expectInvalid(refused)).toEqual(['include: invalid_value']);
  });

  test('`model_answer` is the one that the run used, and before a run the current one', async () => {
    const { tenant, exam, accepted, result } = await graded();
    const edit = async (model_answer: string) => {
      const { status } = await tenant.api.patch(`/exams/${exam.id}/rubrics`, {
        questions: { [exam.questions[1]?.id ?? '']: { model_answer } },
      });
      expect(status).toBe(200);
    };
    const shown = async () => questionOf(await result('?include=model_answer'), '2').model_answer;
    await edit('A second one.');
    expect(await shown()).toBe('The model answer.');
    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect(await shown()).toBe('A second one.');
    const waiting = await submit(tenant.api, exam.id, { candidate: { external_id: 'b' }, answers: ANSWERS });
    await takeRun(service, accepted.id);
    await edit('A third one.');

    // A page holds submissions of several versions, each with its own model answer.
    const list = await tenant.api.get<ResultList>(`/exams/${exam.id}/results?include=model_answer`);
    const byId = new Map(list.body.data.map((row) => [row.submission_id, questionOf(row, '2').model_answer]));
    expect(byId).toEqual(
      new Map([
        [accepted.id, 'A second one.'],
        [waiting.id, 'A third one.'],
      ]),
    );
  });
});
