import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AnswerInput, Exam, QuestionInput, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { everyTypeExam, mcq, numeric, oneWord, trueFalse, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';

const { tenant } = await restSuite();
const exam = await createExam(tenant.api, everyTypeExam());

const someone = () => ({ candidate: { external_id: randomUUID() } });
const submitted = (answers: object[], target: Exam = exam): Promise<Submission> =>
  submit(tenant.api, target.id, { ...someone(), answers });

describe('objective answers', () => {
  test('a submission of objective answers is graded at once, without a charge', async () => {
    const submission = await submitted([
      { question_label: '1', option_labels: ['B'] },
      { question_label: '2', option_labels: ['C', 'A'] },
      { question_label: '3', option_labels: ['F'] },
      { question_label: '4', text: ' 1000.0 ' },
      { question_label: '5', text: ' INSULIN\n' },
    ]);
    expect(submission).toMatchObject({
      state: 'live',
      status: 'graded',
      lane: 'typed',
      pages: null,
      needs_review: false,
      review_reasons: [],
      finalized: false,
      finalized_at: null,
      progress: null,
      queue: null,
      attempt_count: 1,
      credits_charged: 0,
      error: null,
      metadata: null,
      quote: { unit: 'answer', credits: 0, rate_source: 'standard' },
      warnings: [],
    });
    const result = await resultOf(tenant.api, submission.id);
    expect(result).toMatchObject({
      submission_id: submission.id,
      exam_id: exam.id,
      credits_charged: 0,
      error: null,
    });
    expect(result.checked_copy).toEqual({ available: false, download_path: null });
    expect(result.questions.map(({ label, awarded, source }) => [label, awarded, source])).toEqual([
      ['1', 1, 'auto'],
      ['2', 2, 'auto'],
      ['3', 0, 'auto'],
      ['4', 1, 'auto'],
      ['5', 1, 'auto'],
      ['6', 0, null],
      ['7(a)', 0, null],
    ]);
    expect(result.totals).toEqual({
      awarded: 5,
      max: 10,
      percentage: 50,
      questions_graded: 5,
      questions_failed: 0,
    });
    expect(result.questions[4]?.extracted_answer?.trim()).toBe('INSULIN');
  });

  test('wrong answers get exact negative marks, and totals may be below 0', async () => {
    const submission = await submitted([
      { question_label: '1', option_labels: ['A', 'B'] },
      { question_label: '2', option_labels: ['A'] },
      { question_label: '3', option_labels: ['F'] },
      { question_label: '4', text: '24.0001' },
    ]);
    const result = await resultOf(tenant.api, submission.id);
    expect(result.questions.slice(0, 4).map(({ awarded }) => awarded)).toEqual([-0.25, -0.5, 0, -0.33]);
    expect(result.totals).toMatchObject({ awarded: -1.08, percentage: -10.8 });
  });

  const multi: Partial<QuestionInput> = { type: 'mcq_multi', correct_options: ['A', 'C'] };
  const chosen = (...option_labels: string[]): Omit<AnswerInput, 'question_label'> => ({ option_labels });
  const text = (value: string): Omit<AnswerInput, 'question_label'> => ({ text: value });
  type Case = [
    make: (label: string) => QuestionInput,
    answer: Omit<AnswerInput, 'question_label'>,
    marks: number,
  ];
  /** Examples of the forms in docs/objective-marking.md, to check that the API passes answers unchanged. */
  const cases: Case[] = [
    [(label) => mcq(label), chosen('B'), 1],
    [(label) => mcq(label), chosen('A'), -0.25],
    [(label) => mcq(label), chosen('A', 'B'), -0.25],
    [(label) => mcq(label), chosen(), 0],
    [(label) => mcq(label, multi), chosen('A', 'C'), 1],
    [(label) => mcq(label, multi), chosen('C', 'A'), 1],
    [(label) => mcq(label, multi), chosen('A'), -0.25],
    [(label) => mcq(label, multi), chosen('A', 'B', 'C'), -0.25],
    [(label) => trueFalse(label), chosen('T'), 1],
    [(label) => trueFalse(label), chosen('F'), -0.25],
    [(label) => trueFalse(label), chosen('T', 'F'), -0.25],
    [(label) => numeric(label), text('24'), 1],
    [(label) => numeric(label), text(' +024.00\n'), 1],
    [(label) => numeric(label), text('2.4E+1'), 1],
    [(label) => numeric(label), text('२४'), 1],
    [(label) => numeric(label), text('24.'), 1],
    [(label) => numeric(label), text('2⁴'), -0.25],
    [(label) => numeric(label), text('24 km'), -0.25],
    [(label) => numeric(label), text('\u00a0\u200b'), 0],
    [(label) => numeric(label, { answer: '-0.50' }), text('\u2212.5'), 1],
    [(label) => numeric(label, { answer: -0.5 }), text('½'), -0.25],
    [(label) => numeric(label, { answer: [1, '2.0', 3e2] }), text('2'), 1],
    [(label) => numeric(label, { answer: [1, '2.0', 3e2] }), text('300'), 1],
    [(label) => numeric(label, { answer: [1, '2.0', 3e2] }), text('3'), -0.25],
    [(label) => numeric(label, { answer: '0.12345678901234567890123' }), text('.12345678901234567890123'), 1],
    [
      (label) => numeric(label, { answer: '0.12345678901234567890123' }),
      text('.12345678901234567890124'),
      -0.25,
    ],
    [(label) => numeric(label, { answer: 0.1 }), text('0.1'), 1],
    [(label) => numeric(label, { answer: 6.02e23 }), text('602000000000000000000000'), 1],
    [(label) => numeric(label, { answer: 1e-7 }), text('0.0000001'), 1],
    [(label) => oneWord(label), text(' iNSULIN\n'), 1],
    [(label) => oneWord(label), text('In\u200bsulin'), 1],
    [(label) => oneWord(label), text('Insulin.'), -0.25],
    [(label) => oneWord(label, { answer: ' New  Delhi ' }), text('new\u00a0delhi'), 1],
    [(label) => oneWord(label, { answer: 'cafe\u0301' }), text('CAF\u00c9'), 1],
    [(label) => oneWord(label, { answer: 'Straße' }), text('STRASSE'), 1],
    [(label) => oneWord(label, { answer: 'well-known' }), text('wellknown'), -0.25],
  ];

  test('every type is marked by key and answer, with negative marks', async () => {
    const paper = await createExam(
      tenant.api,
      typedExam(cases.map(([make], index) => ({ ...make(`Q${index}`), negative_marks: 0.25 }))),
    );
    const submission = await submitted(
      cases.map(([, answer], index) => ({ question_label: `q${index}`, ...answer })),
      paper,
    );
    const result = await resultOf(tenant.api, submission.id);
    expect(result.questions.map(({ awarded }, index) => [cases[index]?.[1], awarded])).toEqual(
      cases.map(([, answer, marks]) => [answer, marks]),
    );
    const answered = cases.filter(([, , marks]) => marks !== 0);
    expect(result.totals).toMatchObject({
      awarded: cases.reduce((sum, [, , marks]) => sum + marks, 0),
      max: cases.length,
      questions_graded: answered.length,
    });
    expect(submission).toMatchObject({ status: 'graded', credits_charged: 0, progress: null, queue: null });
  });
});
