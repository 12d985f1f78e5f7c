import { describe, expect, test } from 'vitest';
import type { Exam, Question, QuestionInput, QuestionList } from '@evaluation/rest-contract/schemas';
import { longAnswer, mcq, numeric, oneWord, trueFalse, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectOk, expectRefused, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();

/** The question is the second one, so that a path with a wrong index is noticed. */
const paper = (question: object): object => ({
  ...typedExam([mcq('first')]),
  questions: [mcq('first'), question],
});
const accepted = async (question: object): Promise<Exam> =>
  expectOk(await tenant.api.post<Exam>('/exams', paper(question)), 201);
const refused = (question: object, code = 'validation_failed') =>
  expectRefused(tenant, () => tenant.api.post('/exams', paper(question)), 422, code);

const options = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ label: `L${index}`, text: `Option ${index}` }));

describe('a valid question', () => {
  const valid: [string, object][] = [
    ['marks of half a step', mcq('2', { max_marks: 0.5 })],
    ['the most marks', mcq('2', { max_marks: 1000 })],
    ['a label of 16 characters', mcq('😀'.repeat(16))],
    [
      'markup in the text, in options, in a model answer',
      longAnswer('2', { text: 'Is a < b > c?', model_answer: '<p>' }),
    ],
    ['a text of 20,000 characters', longAnswer('2', { text: 'x'.repeat(20_000) })],
    ['a model answer of 20,000 characters', longAnswer('2', { model_answer: 'x'.repeat(20_000) })],
    ['26 options with texts of 2000', mcq('2', { options: options(26), correct_options: ['L25'] })],
    [
      'an option text of 2000',
      mcq('2', {
        options: [
          { label: 'A', text: 'x'.repeat(2000) },
          { label: 'B', text: '' },
        ],
      }),
    ],
    ['several correct options', mcq('2', { type: 'mcq_multi', correct_options: ['A', 'C'] })],
    ['all options correct', mcq('2', { type: 'mcq_multi', correct_options: ['A', 'B', 'C'] })],
    [
      'options that differ in case',
      mcq('2', {
        options: [
          { label: 'a', text: '' },
          { label: 'A', text: '' },
        ],
        correct_options: ['a'],
      }),
    ],
    ['true or false', trueFalse('2')],
    ['a number', numeric('2', { answer: -1.5e-3 })],
    ['a numeric string', numeric('2', { answer: ' +24.50 ' })],
    ['a list of accepted numbers', numeric('2', { answer: [24, '24.0', -3] })],
    ['a word of 255 characters', oneWord('2', { answer: 'x'.repeat(255) })],
    ['negative marks of any decimal', mcq('2', { negative_marks: 0.33 })],
    [
      'fields that are only stored',
      longAnswer('2', {
        parent_label: '1',
        word_limit: 1,
        expects_diagram: true,
        assess_language: false,
        tags: { deep: [{ x: null }] },
        external_id: 'q-1',
      }),
    ],
    ['tags of 2048 bytes', longAnswer('2', { tags: { k: 'x'.repeat(2048 - '{"k":""}'.length) } })],
    ['a long answer with neither rubric nor model answer', longAnswer('2', { model_answer: null })],
  ];
  test.each(valid)('%s is accepted', async (_name, question) => {
    expect((await accepted(question)).question_count).toBe(2);
  });
});

describe('an invalid question', () => {
  const invalid: [string, object, string][] = [
    ['no marks at all', mcq('2', { max_marks: 0 }), 'max_marks: out_of_range'],
    ['less than no marks', mcq('2', { max_marks: -1 }), 'max_marks: out_of_range'],
    ['more than 1000 marks', mcq('2', { max_marks: 1000.5 }), 'max_marks: out_of_range'],
    ['marks off the half steps', mcq('2', { max_marks: 1.25 }), 'max_marks: invalid_step'],
    ['marks as text', { ...mcq('2'), max_marks: '2' }, 'max_marks: invalid_type'],
    ['negative marks below 0', mcq('2', { negative_marks: -0.5 }), 'negative_marks: out_of_range'],
    ['no label', mcq(''), 'label: required'],
    ['a long label', mcq('x'.repeat(17)), 'label: too_long'],
    ['markup in a label', mcq('<1>'), 'label: invalid_characters'],
    ['a label that is taken, in another case', mcq('FIRST'), 'label: duplicate'],
    ['a section without a name', mcq('2', { section: ' ' }), 'section: required'],
    ['a long section', mcq('2', { section: 'x'.repeat(65) }), 'section: too_long'],
    ['markup in a section', mcq('2', { section: 'a>b' }), 'section: invalid_characters'],
    ['a long parent label', mcq('2', { parent_label: 'x'.repeat(17) }), 'parent_label: too_long'],
    ['a type that is none', { ...mcq('2'), type: 'essay' }, 'type: invalid_value'],
    ['an empty text', mcq('2', { text: '  ' }), 'text: required'],
    ['a long text', mcq('2', { text: 'x'.repeat(20_001) }), 'text: too_long'],
    ['a long model answer', longAnswer('2', { model_answer: 'x'.repeat(20_001) }), 'model_answer: too_long'],
    ['one option', mcq('2', { options: options(1), correct_options: ['L0'] }), 'options: too_short'],
    ['27 options', mcq('2', { options: options(27), correct_options: ['L0'] }), 'options: too_long'],
    [
      'two options of one label',
      mcq('2', { options: [...options(2), ...options(1)], correct_options: ['L0'] }),
      'options[2].label: duplicate',
    ],
    [
      'markup in an option label',
      mcq('2', {
        options: [
          { label: '<', text: '' },
          { label: 'B', text: '' },
        ],
      }),
      'options[0].label: invalid_characters',
    ],
    [
      'a long option label',
      mcq('2', {
        options: [
          { label: 'x'.repeat(17), text: '' },
          { label: 'B', text: '' },
        ],
      }),
      'options[0].label: too_long',
    ],
    [
      'a long option text',
      mcq('2', {
        options: [
          { label: 'A', text: 'x'.repeat(2001) },
          { label: 'B', text: '' },
        ],
      }),
      'options[0].text: too_long',
    ],
    ['no options', mcq('2', { options: null, correct_options: ['A'] }), 'options: required'],
    ['no correct options', mcq('2', { correct_options: null }), 'correct_options: required'],
    ['an empty list of correct options', mcq('2', { correct_options: [] }), 'correct_options: too_short'],
    [
      'two correct options of a single choice',
      mcq('2', { correct_options: ['A', 'B'] }),
      'correct_options: invalid_value',
    ],
    [
      'a correct option named twice',
      mcq('2', { type: 'mcq_multi', correct_options: ['A', 'A'] }),
      'correct_options[1]: duplicate',
    ],
    [
      'three options of true or false',
      trueFalse('2', { options: options(3), correct_options: ['L0'] }),
      'options: invalid_value',
    ],
    [
      'two correct options of true or false',
      trueFalse('2', { correct_options: ['T', 'F'] }),
      'correct_options: invalid_value',
    ],
    ['no answer to a numeric one', numeric('2', { answer: null }), 'answer: required'],
    ['a word for a number', numeric('2', { answer: 'many' }), 'answer: invalid_value'],
    ['a word among the numbers', numeric('2', { answer: [1, 'two'] }), 'answer[1]: invalid_value'],
    ['no number at all', numeric('2', { answer: [] }), 'answer: too_short'],
    ['no answer to one word', oneWord('2', { answer: null }), 'answer: required'],
    ['an empty word', oneWord('2', { answer: ' ' }), 'answer: required'],
    ['a number for a word', oneWord('2', { answer: 7 }), 'answer: invalid_type'],
    ['markup in a word', oneWord('2', { answer: '<b>' }), 'answer: invalid_characters'],
    ['a less-than sign in a word', oneWord('2', { answer: 'a<b' }), 'answer: invalid_characters'],
    ['a long word', oneWord('2', { answer: 'x'.repeat(256) }), 'answer: too_long'],
    ['an answer on a choice', mcq('2', { answer: 'B' }), 'answer: not_allowed'],
    ['an answer on a long answer', longAnswer('2', { answer: 'x' }), 'answer: not_allowed'],
    ['options on a long answer', longAnswer('2', { options: options(2) }), 'options: not_allowed'],
    ['correct options on a number', numeric('2', { correct_options: ['A'] }), 'correct_options: not_allowed'],
    ['a model answer on a choice', mcq('2', { model_answer: 'B' }), 'model_answer: not_allowed'],
    [
      'a rubric on a word',
      oneWord('2', { rubric: { criteria: [{ name: 'a', marks: 1 }] } }),
      'rubric: not_allowed',
    ],
    ['a word limit of 0', longAnswer('2', { word_limit: 0 }), 'word_limit: out_of_range'],
    ['half a word', longAnswer('2', { word_limit: 1.5 }), 'word_limit: invalid_type'],
    ['tags that are a list', { ...longAnswer('2'), tags: ['a'] }, 'tags: invalid_type'],
    [
      'tags of 2049 bytes',
      longAnswer('2', { tags: { k: 'x'.repeat(2049 - '{"k":""}'.length) } }),
      'tags: too_long',
    ],
    [
      'tags of 2049 bytes in few characters',
      longAnswer('2', { tags: { k: 'é'.repeat(1021) } }),
      'tags: too_long',
    ],
    ['a long external_id', longAnswer('2', { external_id: 'x'.repeat(129) }), 'external_id: too_long'],
    ['a question that is null', { ...mcq('2'), label: null }, 'label: invalid_type'],
  ];
  test.each(invalid)(
    '%s is refused at its field, and nothing is created',
    async (_name, question, problem) => {
      expect(problemsIn(await refused(question))).toEqual([`questions[1].${problem}`]);
    },
  );

  test('a correct option that is not among the options answers unknown_option_label', async () => {
    const error = await refused(mcq('2', { correct_options: ['b'] }), 'unknown_option_label');
    expect(problemsIn(error)).toEqual(['questions[1].correct_options[0]: unknown_option_label']);
  });

  test('rules of several kinds broken at once answer validation_failed, with all of them', async () => {
    const broken: QuestionInput = mcq('2', { correct_options: ['Z'], model_answer: 'x' });
    const error = await refused(broken);
    expect(problemsIn(error)).toEqual([
      'questions[1].correct_options[0]: unknown_option_label',
      'questions[1].model_answer: not_allowed',
    ]);
  });
});

describe('fields returned as sent', () => {
  const kept: [string, object, keyof Question][] = [
    ['a numeric answer stays a number', numeric('2', { answer: -1.5e-7 }), 'answer'],
    ['a numeric string stays a string', numeric('2', { answer: ' +24.50 ' }), 'answer'],
    ['a list of numbers stays a list', numeric('2', { answer: [1, '1.0', 1e21] }), 'answer'],
    ['a word keeps its case and spaces', oneWord('2', { answer: ' DNA  double helix ' }), 'answer'],
    [
      'correct options keep their order',
      mcq('2', { type: 'mcq_multi', correct_options: ['C', 'A'] }),
      'correct_options',
    ],
    [
      'tags of 2 KB keep every value',
      longAnswer('2', { tags: { ok: true, n: 0.1, deep: [[{ a: null }]], k: 'é'.repeat(900), '': '' } }),
      'tags',
    ],
    ['a text keeps its lines, tabs and markup', longAnswer('2', { text: ' a\n\tb <b>&amp; ½ 😀 ' }), 'text'],
    ['marks of half a step', mcq('2', { max_marks: 999.5 }), 'max_marks'],
    ['negative marks of many decimals', mcq('2', { negative_marks: 0.333333 }), 'negative_marks'],
    ['an empty parent label', mcq('2', { parent_label: '' }), 'parent_label'],
  ];
  test.each(kept)('%s', async (_name, question, field) => {
    const exam = await accepted(question);
    const { body } = await tenant.api.get<QuestionList>(`/exams/${exam.id}/questions`);
    expect(body.questions[1]?.[field]).toEqual(Reflect.get(question, field));
  });
});
