import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { everyTypeExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectRefused, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();
const exam = await createExam(tenant.api, everyTypeExam());

const someone = () => ({ candidate: { external_id: randomUUID() } });
const refusedAnswers = (answers: unknown, code = 'validation_failed') =>
  expectRefused(
    tenant,
    () => tenant.api.post(`/exams/${exam.id}/submissions`, { ...someone(), answers }),
    422,
    code,
  );
const submitted = (answers: object[]): Promise<Submission> =>
  submit(tenant.api, exam.id, { ...someone(), answers });

describe('typed answers', () => {
  test('every problem is listed at once, each at its field', async () => {
    const error = await refusedAnswers([
      { question_label: '1', text: 'B' },
      { question_label: '2', option_labels: ['A', 'A'] },
      { question_label: '4', option_labels: ['24'] },
      { question_label: '9', text: 'x' },
      { question_id: randomUUID(), text: 'x' },
      { question_label: '6', text: 'once' },
      { question_id: exam.questions[5]?.id, text: 'twice' },
      { text: 'to nothing' },
      { question_label: '3', question_id: exam.questions[2]?.id },
      { question_label: '7(a)', text: 'x'.repeat(20_001) },
      { question_label: '5', text: 'x'.repeat(256) },
    ]);
    expect(problemsIn(error)).toEqual([
      'answers[0].text: not_allowed',
      'answers[1].option_labels[1]: duplicate',
      'answers[2].option_labels: not_allowed',
      'answers[3].question_label: unknown_question',
      'answers[4].question_id: unknown_question',
      'answers[6]: duplicate',
      'answers[7]: invalid_value',
      'answers[8]: invalid_value',
      'answers[9].text: too_long',
      'answers[10].text: too_long',
    ]);
  });

  test('an option label that the question lacks answers unknown_option_label; labels match exactly', async () => {
    const error = await refusedAnswers(
      [
        { question_label: '1', option_labels: ['b'] },
        { question_label: '3', option_labels: ['T', 'X'] },
      ],
      'unknown_option_label',
    );
    expect(problemsIn(error)).toEqual([
      'answers[0].option_labels[0]: unknown_option_label',
      'answers[1].option_labels[1]: unknown_option_label',
    ]);
    const mixed = await refusedAnswers([
      { question_label: '1', option_labels: ['Z'] },
      { question_label: '9' },
    ]);
    expect(problemsIn(mixed)).toEqual([
      'answers[0].option_labels[0]: unknown_option_label',
      'answers[1].question_label: unknown_question',
    ]);
  });

  test('malformed answers and answers that do not fit the paper are listed together', async () => {
    const error = await refusedAnswers([
      { question_label: '1', option_labels: 'B' },
      { question_label: '9', text: 'x' },
      { question_label: 6, text: 'x' },
      'Because.',
      { question_label: '2', option_labels: ['A', 7, 'Z'], text: 'A' },
      { question_label: '4', text: 24 },
      { question_label: '5', text: 'x'.repeat(256) },
    ]);
    expect(problemsIn(error).toSorted()).toEqual([
      'answers[0].option_labels: invalid_type',
      'answers[1].question_label: unknown_question',
      'answers[2].question_label: invalid_type',
      'answers[3]: invalid_type',
      'answers[4].option_labels[1]: invalid_type',
      'answers[4].option_labels[2]: unknown_option_label',
      'answers[4].text: not_allowed',
      'answers[5].text: invalid_type',
      'answers[6].text: too_long',
    ]);
  });

  test('a second answer to a question is a duplicate, also when named by id and by label', async () => {
    const [, , , , , sixth, seventh] = exam.questions;
    const error = await refusedAnswers([
      { question_label: '7(a)', text: 'one' },
      { question_label: '7(A)', text: 'two' },
      { question_label: ' 7(a) ', text: 'three' },
      { question_id: seventh?.id, text: 'four' },
      { question_id: sixth?.id, text: 'one' },
      { question_id: sixth?.id.toUpperCase(), text: 'two' },
      { question_label: '6', text: '' },
      { question_label: '1', option_labels: [] },
      { question_label: '1', option_labels: [], text: 'and a field that is wrong' },
    ]);
    expect(problemsIn(error)).toEqual([
      'answers[1]: duplicate',
      'answers[2]: duplicate',
      'answers[3]: duplicate',
      'answers[5]: duplicate',
      'answers[6]: duplicate',
      'answers[8]: duplicate',
      'answers[8].text: not_allowed',
    ]);
  });

  const unknownOption = { question_label: '1', option_labels: ['Z'] };
  const hindi = [
    { question_label: '7(a)', text: 'यह उत्तर हिन्दी में है' },
    { question_label: '6', text: 'और यह भी' },
  ] as const;

  test('with problems of several codes the first code is the error’s', async () => {
    const first = await refusedAnswers([...hindi, unknownOption], 'language_not_supported');
    expect(first.details).toMatchObject({ question_label: '7(a)' });
    expect(problemsIn(first)).toEqual([
      'answers[0].text: language_not_supported',
      'answers[1].text: language_not_supported',
      'answers[2].option_labels[0]: unknown_option_label',
    ]);
    const second = await refusedAnswers([unknownOption, ...hindi], 'unknown_option_label');
    expect(second.details).not.toHaveProperty('question_label');
    expect(problemsIn(second)).toHaveLength(3);
  });

  test('Devanagari beside any other problem is one of the errors of validation_failed', async () => {
    const error = await refusedAnswers([...hindi, { question_label: '9', text: 'x' }]);
    expect(problemsIn(error)).toEqual([
      'answers[0].text: language_not_supported',
      'answers[1].text: language_not_supported',
      'answers[2].question_label: unknown_question',
    ]);
  });

  test('a word in Devanagari is refused like a long answer, and Devanagari digits are not a number', async () => {
    const error = await refusedAnswers([{ question_label: '5', text: 'इन्सुलिन' }], 'language_not_supported');
    expect(error.details?.['question_label']).toBe('5');
    const { id } = await submitted([{ question_label: '4', text: '२४' }]);
    expect((await resultOf(tenant.api, id)).questions[3]).toMatchObject({
      awarded: 1,
      extracted_answer: '२४',
    });
  });

  test.each([
    ['of letters only', `${'क'.repeat(21)}${'a'.repeat(79)}`],
    ['of letters, digits and signs not counting', `${'क'.repeat(3)}aaaaaaaaa 123456789 +-*/ .,;:`],
    ['altogether', 'यह उत्तर हिन्दी में है'],
  ])('more than 20%% Devanagari %s answers language_not_supported with the label', async (_name, text) => {
    const error = await refusedAnswers(
      [
        { question_label: '6', text: 'An English answer.' },
        { question_label: '7(A)', text },
      ],
      'language_not_supported',
    );
    expect(error.details?.['question_label']).toBe('7(a)');
  });

  test.each([
    ['exactly 20% Devanagari', `${'क'.repeat(20)}${'a'.repeat(80)}`],
    // Vowel signs and the virama are marks, not letters.
    ['exactly 20% Devanagari, with vowel signs', `${'कि'.repeat(20)}${'a'.repeat(80)}`],
    [
      'a quotation in Devanagari',
      'The word धर्म means duty, law and much more than one English word can say.',
    ],
    ['no letters', '1 + 1 = 2'],
  ])('%s is accepted', async (_name, text) => {
    expect((await submitted([{ question_label: '6', text }])).quote.credits).toBe(1);
  });

  test('a question is named by id or by label, ignoring case', async () => {
    const submission = await submitted([
      { question_label: '7(A)', text: 'by label' },
      { question_id: exam.questions[5]?.id.toUpperCase(), text: 'by id' },
    ]);
    expect(submission.quote).toEqual({ unit: 'answer', credits: 2, rate_source: 'standard' });
  });

  test('an empty field of another question type is refused as well', async () => {
    const error = await refusedAnswers([
      { question_label: '1', text: '' },
      { question_label: '6', option_labels: [] },
      { question_label: '3', option_labels: [''] },
    ]);
    expect(problemsIn(error)).toEqual([
      'answers[0].text: not_allowed',
      'answers[1].option_labels: not_allowed',
      'answers[2].option_labels[0]: unknown_option_label',
    ]);
  });

  test('only non-blank long answers are counted, charged and sent to the AI', async () => {
    const submission = await submitted([
      { question_label: '1', option_labels: ['B'] },
      { question_label: '6', text: '\u200b' },
      { question_label: '7(a)', text: '.' },
    ]);
    expect(submission).toMatchObject({
      status: 'queued',
      quote: { unit: 'answer', credits: 1 },
      progress: { questions_done: 0, questions_total: 1 },
    });
  });

  test('blank and omitted answers are not_answered: no marks, no AI call, no charge', async () => {
    const before = await tenant.credits();
    const submission = await submitted([
      { question_label: '1', option_labels: [] },
      { question_label: '2', option_labels: null },
      { question_label: '4', text: ' ' },
      { question_label: '5', text: '' },
      { question_label: '6', text: ' \n\t\u00a0\u200b' },
      { question_label: '7(a)', text: null },
    ]);
    expect(submission).toMatchObject({ status: 'graded', credits_charged: 0, quote: { credits: 0 } });
    expect(await tenant.credits()).toEqual(before);
    const result = await resultOf(tenant.api, submission.id);
    expect(result.questions.map(({ status, awarded, source }) => [status, awarded, source])).toEqual(
      result.questions.map(() => ['not_answered', 0, null]),
    );
    expect(result.totals).toEqual({
      awarded: 0,
      max: 10,
      percentage: 0,
      questions_graded: 0,
      questions_failed: 0,
    });
  });
});
