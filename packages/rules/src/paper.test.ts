import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import { checkAdded, checkEdited, checkPaper, type ExistingPaper } from './paper.ts';

const long = (label: string, more: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'long_answer',
  text: 'Why?',
  max_marks: 2,
  model_answer: 'Because.',
  ...more,
});
const single = (label: string, more: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'mcq_single',
  text: 'Which?',
  max_marks: 1,
  options: [
    { label: 'A', text: 'a' },
    { label: 'B', text: 'b' },
  ],
  correct_options: ['A'],
  ...more,
});
const problemsOf = (...questions: QuestionInput[]) =>
  checkPaper({ mode: 'typed', sections: null, questions }).problems.map(
    ({ field, code }) => `${field} ${code}`,
  );

describe('the key that a type needs', () => {
  test.each<[string, QuestionInput, string[]]>([
    ['a choice without options', single('1', { options: null }), ['questions[0].options required']],
    [
      'a choice without a key',
      single('1', { correct_options: null }),
      ['questions[0].correct_options required'],
    ],
    [
      'mcq_single with two right options',
      single('1', { correct_options: ['A', 'B'] }),
      ['questions[0].correct_options invalid_value'],
    ],
    ['mcq_multi with two right options', single('1', { type: 'mcq_multi', correct_options: ['A', 'B'] }), []],
    ['true_false with two options', single('1', { type: 'true_false' }), []],
    [
      'true_false with three options',
      single('1', { type: 'true_false', options: ['A', 'B', 'C'].map((label) => ({ label, text: '' })) }),
      ['questions[0].options invalid_value'],
    ],
    [
      'a key that is no option',
      single('1', { correct_options: ['C'] }),
      ['questions[0].correct_options[0] unknown_option_label'],
    ],
    [
      'option labels match exactly',
      single('1', { correct_options: ['a'] }),
      ['questions[0].correct_options[0] unknown_option_label'],
    ],
    [
      'two options of one label',
      single('1', {
        options: [
          { label: 'A', text: '' },
          { label: 'A', text: '' },
        ],
      }),
      ['questions[0].options[1].label duplicate'],
    ],
    [
      'numeric without an answer',
      long('1', { type: 'numeric', model_answer: null }),
      ['questions[0].answer required'],
    ],
    ['numeric with a number', long('1', { type: 'numeric', model_answer: null, answer: 1.5 }), []],
    [
      'numeric with a numeric string',
      long('1', { type: 'numeric', model_answer: null, answer: ' -1.5e3 ' }),
      [],
    ],
    ['numeric with a list', long('1', { type: 'numeric', model_answer: null, answer: [1, '2.0'] }), []],
    [
      'numeric with a word in its list',
      long('1', { type: 'numeric', model_answer: null, answer: [1, 'two'] }),
      ['questions[0].answer[1] invalid_value'],
    ],
    [
      'one_word with a number',
      long('1', { type: 'one_word', model_answer: null, answer: 4 }),
      ['questions[0].answer invalid_type'],
    ],
    [
      'one_word with <',
      long('1', { type: 'one_word', model_answer: null, answer: 'a<b' }),
      ['questions[0].answer invalid_characters'],
    ],
    ['an answer on a long answer', long('1', { answer: 'x' }), ['questions[0].answer not_allowed']],
    [
      'a model answer on a choice',
      single('1', { model_answer: 'x' }),
      ['questions[0].model_answer not_allowed'],
    ],
    ['options on a long answer', long('1', { options: [] }), ['questions[0].options not_allowed']],
  ])('%s', (_name, question, expected) => {
    expect(problemsOf(question)).toEqual(expected);
  });

  test('every problem of a paper is listed at once', () => {
    expect(problemsOf(single('1', { options: null }), long('1', { answer: 'x' }))).toEqual([
      'questions[0].options required',
      'questions[1].label duplicate',
      'questions[1].answer not_allowed',
    ]);
  });
});

describe('sections', () => {
  test('a paper without sections gets one, A', () => {
    expect(checkPaper({ mode: 'typed', sections: null, questions: [long('1'), long('2')] }).sections).toEqual(
      [{ name: 'A' }],
    );
  });

  test('undeclared sections come from the questions, in the order of first appearance, ignoring case', () => {
    const paper = checkPaper({
      mode: 'typed',
      sections: null,
      questions: [
        long('1', { section: 'Physics' }),
        long('2', { section: 'Biology' }),
        long('3', { section: 'PHYSICS' }),
      ],
    });
    expect(paper.sections).toEqual([{ name: 'Physics' }, { name: 'Biology' }]);
    expect(paper.questions.map(({ section }) => section)).toEqual([0, 1, 0]);
  });

  test('declared sections are ordered by `order`; a question that names none belongs to the first', () => {
    const paper = checkPaper({
      mode: 'typed',
      sections: [
        { name: 'Second', order: 2 },
        { name: 'First', order: 1 },
      ],
      questions: [long('1'), long('2', { section: 'second' })],
    });
    expect(paper.sections).toEqual([
      { name: 'First', order: 1 },
      { name: 'Second', order: 2 },
    ]);
    expect(paper.questions.map(({ section }) => section)).toEqual([0, 1]);
  });

  test('a question cannot name a section that is not declared, nor two sections have one name', () => {
    const paper = checkPaper({
      mode: 'typed',
      sections: [
        { name: 'A', order: 1 },
        { name: 'a', order: 2 },
      ],
      questions: [long('1', { section: 'Z' })],
    });
    expect(paper.problems.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'sections[1].name duplicate',
      'questions[0].section unknown_section',
    ]);
  });
});

describe('warnings', () => {
  test('handwritten: negative marks are set to 0, with a warning; typed: they stay', () => {
    const questions = [single('1', { negative_marks: 0.25 })];
    const handwritten = checkPaper({ mode: 'handwritten', sections: null, questions });
    expect(handwritten.warnings.map(({ code }) => code)).toEqual(['negative_marks_ignored']);
    expect(handwritten.questions[0]?.negativeMarks).toBe(0);
    const typed = checkPaper({ mode: 'typed', sections: null, questions });
    expect(typed.warnings).toEqual([]);
    expect(typed.questions[0]?.negativeMarks).toBe(0.25);
  });

  test('a long answer with neither rubric nor model answer; a criterion that is not a multiple of the mark step', () => {
    const rubric = {
      criteria: [
        { name: 'x', marks: 0.75 },
        { name: 'y', marks: 1.25 },
      ],
    };
    const paper = checkPaper({
      mode: 'typed',
      sections: null,
      questions: [long('1', { model_answer: null }), long('2', { model_answer: null, rubric })],
    });
    expect(paper.problems).toEqual([]);
    expect(paper.warnings.map(({ code }) => code)).toEqual(['auto_rubric', 'rubric_marks_not_half_step']);
  });
});

describe('questions added to existing ones', () => {
  const existing = (change: Partial<ExistingPaper> = {}): ExistingPaper => ({
    sections: [{ name: 'Physics' }],
    sectionsDeclared: false,
    labels: ['1', 'a'],
    ...change,
  });
  const added = (change: Partial<ExistingPaper>, ...questions: QuestionInput[]) =>
    checkAdded({ mode: 'typed', existing: existing(change), questions });
  const found = (paper: { problems: { field: string; code: string }[] }) =>
    paper.problems.map(({ field, code }) => `${field} ${code}`);

  test('labels of existing questions are taken, ignoring case', () => {
    expect(found(added({}, long('A'), long('2')))).toEqual(['questions[0].label duplicate']);
  });

  test('derived sections are appended, declared ones stay as they are', () => {
    const questions = [long('2', { section: 'physics' }), long('3', { section: 'Biology' }), long('4')];
    const derived = added({}, ...questions);
    expect(derived.sections).toEqual([{ name: 'Physics' }, { name: 'Biology' }]);
    expect(derived.questions.map(({ section }) => section)).toEqual([0, 1, 0]);
    expect(found(added({ sectionsDeclared: true }, ...questions))).toEqual([
      'questions[1].section unknown_section',
    ]);
  });

  test('at most 200 questions and 20 derived sections, including the existing ones', () => {
    const labels = Array.from({ length: 199 }, (_, index) => `s${index}`);
    expect(found(added({ labels }, long('x')))).toEqual([]);
    expect(found(added({ labels }, long('x'), long('y')))).toEqual(['questions too_long']);
    const sections = Array.from({ length: 20 }, (_, index) => ({ name: `s${index}` }));
    expect(found(added({ sections }, long('x', { section: 'new' })))).toEqual([
      'questions too_many_sections',
    ]);
  });

  test('a derived section may go with its last question; one with other questions stays', () => {
    const names = Array.from({ length: 20 }, (_, index) => `S${index}`);
    const moved = (occupied: string[], change: Partial<ExistingPaper> = {}) =>
      found(
        checkEdited({
          mode: 'typed',
          existing: existing({
            sections: names.map((name) => ({ name })),
            occupied,
            labels: ['2'],
            ...change,
          }),
          question: long('1', { section: 'new' }),
        }),
      );
    expect(moved(names.slice(1))).toEqual([]);
    expect(moved(names)).toEqual(['section too_many_sections']);
    expect(moved(names.slice(1), { sectionsDeclared: true })).toEqual(['section unknown_section']);
  });

  test('the texts of a rubric share one bound, and guidance beyond it is not searched', () => {
    const rubric = (guidance: string) => ({
      criteria: Array.from({ length: 10 }, (_, index) => ({
        name: `c${index}`,
        marks: 0.2,
        keywords: ['k'.repeat(18)],
        guidance,
      })),
    });
    expect(problemsOf(long('1', { rubric: rubric('x'.repeat(1980)) }))).toEqual([]);
    expect(problemsOf(long('1', { rubric: rubric('x'.repeat(1981)) }))).toEqual([
      'questions[0].rubric.criteria too_long',
    ]);
    expect(problemsOf(long('1', { rubric: rubric('give 2 marks '.repeat(160)) }))).toEqual([
      'questions[0].rubric.criteria too_long',
    ]);
  });

  test('problems of an edited question have paths of that question, and it may keep its label', () => {
    const edited = (question: QuestionInput) =>
      found(checkEdited({ mode: 'typed', existing: existing({ labels: ['2'] }), question }));
    expect(edited(long('1'))).toEqual([]);
    expect(edited(long('2', { answer: 'x' }))).toEqual(['label duplicate', 'answer not_allowed']);
  });
});
