import { describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { fieldPath, problemsOf, type Problem } from './fieldErrors.ts';
import { CandidateInput, ExamCreate, FeedQuery, QuestionInput, UploadsCreate } from './schemas/index.ts';
import { shortText } from './schemas/primitives.ts';

const problems = (schema: z.ZodType, body: unknown): Problem[] => {
  const { error } = schema.safeParse(body);
  return error === undefined ? [] : problemsOf(error, body);
};

const question = { label: '1', type: 'long_answer', text: 'Why?', max_marks: 4 };
const exam = { title: 'Physics', mode: 'typed' };

interface Row {
  broken: string;
  schema: z.ZodType;
  body: unknown;
  field: string;
  code: string;
  failure?: string;
}

const rows: Row[] = [
  {
    broken: 'a missing field',
    schema: ExamCreate,
    body: { mode: 'typed' },
    field: 'title',
    code: 'required',
  },
  { broken: 'a missing choice', schema: ExamCreate, body: { title: 'P' }, field: 'mode', code: 'required' },
  {
    broken: 'an empty title',
    schema: ExamCreate,
    body: { ...exam, title: '  ' },
    field: 'title',
    code: 'required',
  },
  {
    broken: 'a missing field deep down',
    schema: ExamCreate,
    body: { ...exam, questions: [question, { ...question, text: undefined }] },
    field: 'questions[1].text',
    code: 'required',
  },
  {
    broken: 'a number for a text',
    schema: ExamCreate,
    body: { ...exam, title: 5 },
    field: 'title',
    code: 'invalid_type',
  },
  {
    broken: 'null for a required text',
    schema: ExamCreate,
    body: { ...exam, title: null },
    field: 'title',
    code: 'invalid_type',
  },
  {
    broken: 'an object for a list',
    schema: ExamCreate,
    body: { ...exam, questions: {} },
    field: 'questions',
    code: 'invalid_type',
  },
  {
    broken: 'an unknown mode',
    schema: ExamCreate,
    body: { ...exam, mode: 'oral' },
    field: 'mode',
    code: 'invalid_value',
  },
  {
    broken: 'marks between half steps',
    schema: QuestionInput,
    body: { ...question, max_marks: 1.25 },
    field: 'max_marks',
    code: 'invalid_step',
  },
  {
    broken: 'no marks',
    schema: QuestionInput,
    body: { ...question, max_marks: 0 },
    field: 'max_marks',
    code: 'out_of_range',
  },
  {
    broken: 'more than 1000 marks',
    schema: QuestionInput,
    body: { ...question, max_marks: 1000.5 },
    field: 'max_marks',
    code: 'out_of_range',
  },
  {
    broken: '256 emoji in a title',
    schema: ExamCreate,
    body: { ...exam, title: '🎓'.repeat(256) },
    field: 'title',
    code: 'too_long',
  },
  {
    broken: 'a 21st section',
    schema: ExamCreate,
    body: { ...exam, sections: Array.from({ length: 21 }, (_, order) => ({ name: `S${order}`, order })) },
    field: 'sections',
    code: 'too_long',
  },
  {
    broken: 'one option',
    schema: QuestionInput,
    body: { ...question, options: [{ label: 'A', text: '' }] },
    field: 'options',
    code: 'too_short',
  },
  {
    broken: 'metadata over 2 KB',
    schema: CandidateInput,
    body: { external_id: 'x', metadata: { note: 'é'.repeat(1024) } },
    field: 'metadata',
    code: 'too_long',
  },
  {
    broken: 'a tag in a label',
    schema: QuestionInput,
    body: { ...question, label: '<b>' },
    field: 'label',
    code: 'invalid_characters',
  },
  {
    broken: '30 February',
    schema: ExamCreate,
    body: { ...exam, conducted_on: '2025-02-30' },
    field: 'conducted_on',
    code: 'invalid_value',
  },
  {
    broken: '29 February of a common year',
    schema: ExamCreate,
    body: { ...exam, conducted_on: '2025-02-29' },
    field: 'conducted_on',
    code: 'invalid_value',
  },
  {
    broken: 'a fraction of a byte',
    schema: UploadsCreate,
    body: { files: [{ file_name: 'a.pdf', content_type: 'application/pdf', size_bytes: 1.5 }] },
    field: 'files[0].size_bytes',
    code: 'invalid_type',
  },
  {
    broken: 'a file over 50 MB',
    schema: UploadsCreate,
    body: {
      files: [{ file_name: 'a.pdf', content_type: 'application/pdf', size_bytes: 50 * 1024 * 1024 + 1 }],
    },
    field: 'files[0].size_bytes',
    code: 'out_of_range',
  },
  {
    broken: 'a picture',
    schema: UploadsCreate,
    body: { files: [{ file_name: 'a.png', content_type: 'image/png', size_bytes: 1 }] },
    field: 'files[0].content_type',
    code: 'invalid_value',
  },
  {
    broken: 'Hindi',
    schema: ExamCreate,
    body: { ...exam, answer_language: 'hi' },
    field: 'answer_language',
    code: 'language_not_supported',
    failure: 'language_not_supported',
  },
  {
    broken: 'a choice group',
    schema: ExamCreate,
    body: { ...exam, choice_groups: [{}] },
    field: 'choice_groups',
    code: 'feature_not_available',
    failure: 'feature_not_available',
  },
  {
    broken: 'a key of 256 characters',
    schema: QuestionInput,
    body: { ...question, answer: 'x'.repeat(256) },
    field: 'answer',
    code: 'too_long',
  },
  {
    broken: 'an accepted answer of 256 characters',
    schema: QuestionInput,
    body: { ...question, answer: [1, 'x'.repeat(256)] },
    field: 'answer[1]',
    code: 'too_long',
  },
  {
    broken: 'an empty list of accepted answers',
    schema: QuestionInput,
    body: { ...question, answer: [] },
    field: 'answer',
    code: 'too_short',
  },
  {
    broken: 'an object for a key',
    schema: QuestionInput,
    body: { ...question, answer: {} },
    field: 'answer',
    code: 'invalid_value',
  },
  {
    broken: 'an object for an accepted answer',
    schema: QuestionInput,
    body: { ...question, answer: [1, {}] },
    field: 'answer[1]',
    code: 'invalid_value',
  },
  {
    broken: 'negative marks that are too small',
    schema: QuestionInput,
    body: { ...question, negative_marks: 1e-20 },
    field: 'negative_marks',
    code: 'invalid_step',
  },
  {
    broken: 'negative marks below 0',
    schema: QuestionInput,
    body: { ...question, negative_marks: -0.5 },
    field: 'negative_marks',
    code: 'out_of_range',
  },
  {
    broken: 'a criterion of seven decimal places',
    schema: QuestionInput,
    body: { ...question, rubric: { criteria: [{ name: 'a', marks: 0.1234567 }] } },
    field: 'rubric.criteria[0].marks',
    code: 'invalid_step',
  },
  {
    broken: 'a criterion of no marks',
    schema: QuestionInput,
    body: { ...question, rubric: { criteria: [{ name: 'a', marks: 0 }] } },
    field: 'rubric.criteria[0].marks',
    code: 'out_of_range',
  },
  {
    broken: 'a criterion of more than 1000 marks',
    schema: QuestionInput,
    body: { ...question, rubric: { criteria: [{ name: 'a', marks: 1001 }] } },
    field: 'rubric.criteria[0].marks',
    code: 'out_of_range',
  },
  { broken: 'limit 1e2', schema: FeedQuery, body: { limit: '1e2' }, field: 'limit', code: 'out_of_range' },
  { broken: 'limit 0x10', schema: FeedQuery, body: { limit: '0x10' }, field: 'limit', code: 'out_of_range' },
  {
    broken: 'limit with spaces',
    schema: FeedQuery,
    body: { limit: ' 5 ' },
    field: 'limit',
    code: 'out_of_range',
  },
  { broken: 'limit 0', schema: FeedQuery, body: { limit: '0' }, field: 'limit', code: 'out_of_range' },
  { broken: 'limit 201', schema: FeedQuery, body: { limit: '201' }, field: 'limit', code: 'out_of_range' },
  {
    broken: 'an updated_since without an offset',
    schema: FeedQuery,
    body: { updated_since: '2026-02-14T06:00:00' },
    field: 'updated_since',
    code: 'invalid_value',
  },
];

describe('details.errors', () => {
  test.each(rows)('$broken answers $code on $field', ({ schema, body, field, code, failure }) => {
    const found = problems(schema, body);
    expect(found).toEqual([expect.objectContaining({ field, code })]);
    expect(found[0]?.failure).toBe(failure);
    expect(found[0]?.message).not.toBe('');
  });

  test('each unknown field of a strict body is named on its own', () => {
    const patch = z.strictObject({ rubric: z.strictObject({ name: shortText(10) }).optional() });
    const found = problems(patch, { rubric: { name: 'a', nmae: 1, extra: 2 }, colour: 'red' });
    expect(found.map(({ field, code }) => `${field} ${code}`).sort()).toEqual([
      'colour unknown_field',
      'rubric.extra unknown_field',
      'rubric.nmae unknown_field',
    ]);
  });

  test('every failing field is listed, not only the first', () => {
    const found = problems(ExamCreate, {
      mode: 'oral',
      questions: [{ ...question, max_marks: 0.3, label: '<' }],
    });
    expect(found.map(({ field }) => field)).toEqual([
      'title',
      'mode',
      'questions[0].label',
      'questions[0].max_marks',
    ]);
  });

  test('a field is written as a path', () => {
    expect(fieldPath(['questions', 3, 'options', 0, 'label'])).toBe('questions[3].options[0].label');
    expect(fieldPath([])).toBe('');
  });
});

describe('valid bodies pass', () => {
  test.each([
    ['255 emoji in a title', ExamCreate, { ...exam, title: '🎓'.repeat(255) }],
    ['an unknown field of a create body', ExamCreate, { ...exam, colour: 'red' }],
    ['29 February of a leap year', ExamCreate, { ...exam, conducted_on: '2024-02-29' }],
    ['an empty list of choice groups', ExamCreate, { ...exam, choice_groups: [] }],
    ['a third of a mark to 6 places', QuestionInput, { ...question, negative_marks: 0.333333 }],
    ['999.999999 negative marks', QuestionInput, { ...question, negative_marks: 999.999999 }],
    ['half a mark', QuestionInput, { ...question, max_marks: 0.5 }],
    ['a tag in a question text', QuestionInput, { ...question, text: 'Is a < b > c?' }],
    [
      'exactly 2 KB of metadata',
      CandidateInput,
      { external_id: 'x', metadata: { note: 'a'.repeat(2048 - 11) } },
    ],
    ['limit 200', FeedQuery, { limit: '200' }],
  ])('%s', (_, schema, body) => {
    expect(problems(schema, body)).toEqual([]);
  });

  test('the largest exam is read in under 300 ms of CPU', () => {
    const text = 'A long question, with a long model answer. '.repeat(465).slice(0, 20_000);
    const body = JSON.parse(
      JSON.stringify({
        ...exam,
        questions: Array.from({ length: 200 }, (_, n) => ({
          ...question,
          label: `${n}`,
          text,
          model_answer: text,
          tags: { topics: Array.from({ length: 200 }, (__, topic) => topic) },
          rubric: {
            criteria: Array.from({ length: 8 }, (__, c) => ({
              name: `Step ${c}`,
              marks: 0.5,
              guidance: text.slice(0, 2000),
            })),
          },
        })),
        candidates: Array.from({ length: 2000 }, (_, n) => ({
          external_id: `S-${n}`,
          name: 'N'.repeat(255),
          metadata: { note: 'a'.repeat(2000) },
        })),
      }),
    );
    ExamCreate.parse(exam);
    // The least of three: other threads of the process, such as those that collect garbage, add to any one.
    const costs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      const parsed = ExamCreate.safeParse(body);
      const { user, system } = process.cpuUsage(before);
      expect(parsed.error?.issues).toBeUndefined();
      return (user + system) / 1000;
    });
    expect(Math.min(...costs)).toBeLessThan(300);
  });
});
