import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import { expect, test } from 'vitest';
import { checkEdited, checkPaper } from './paper.ts';

/*
 * Cases that no test of an endpoint has. tests/rest/exams/create.test.ts and tests/rest/questions test the other rules
 * of a paper: the key that each type needs, labels, sections, numbers of questions, and warnings.
 */

const long = (label: string, more: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'long_answer',
  text: 'Why?',
  max_marks: 2,
  model_answer: 'Because.',
  ...more,
});
const found = ({ problems }: ReturnType<typeof checkPaper>) =>
  problems.map(({ field, code }) => `${field} ${code}`);
const problemsOf = (question: QuestionInput) =>
  found(checkPaper({ mode: 'typed', sections: null, questions: [question] }));

test('the key of a numeric question may have an exponent and outer spaces', () => {
  expect(problemsOf(long('1', { type: 'numeric', model_answer: null, answer: ' -1.5e3 ' }))).toEqual([]);
});

test.each(['12345678901234567890', '0.1234567890123456789', '-9007199254740991'])(
  'the key %s is refused as a JSON number, which has lost digits, and taken as a string',
  (digits) => {
    const answer = Number(digits);
    const numeric = (key: QuestionInput['answer']) =>
      problemsOf(long('1', { type: 'numeric', model_answer: null, answer: key }));
    expect(numeric(answer)).toEqual(['questions[0].answer invalid_value']);
    expect(numeric([1, answer])).toEqual(['questions[0].answer[1] invalid_value']);
    expect(numeric(digits)).toEqual([]);
  },
);

test.each([6.02214076e23, 1.602176634e-19, 1e20, 999_999_999_999_999])(
  'the key %s is taken as a JSON number',
  (answer) => expect(problemsOf(long('1', { type: 'numeric', model_answer: null, answer }))).toEqual([]),
);

test('an empty list of options is refused on a long answer', () => {
  expect(problemsOf(long('1', { options: [] }))).toEqual(['questions[0].options not_allowed']);
});

test('an edited question cannot name a section that is not declared', () => {
  const existing = { sections: [{ name: 'Physics' }], sectionsDeclared: true, labels: ['2'], occupied: [] };
  const edited = (section: string) =>
    found(checkEdited({ mode: 'typed', existing, question: long('1', { section }) }));
  expect(edited('physics')).toEqual([]);
  expect(edited('new')).toEqual(['section unknown_section']);
});

test('the texts of a rubric share one bound, and guidance beyond it is not searched', () => {
  const withGuidance = (guidance: string) => ({
    criteria: Array.from({ length: 10 }, (_, index) => ({
      name: `c${index}`,
      marks: 0.2,
      keywords: ['k'.repeat(18)],
      guidance,
    })),
  });
  const problemsWith = (guidance: string) => problemsOf(long('1', { rubric: withGuidance(guidance) }));
  expect(problemsWith('x'.repeat(1980))).toEqual([]);
  for (const guidance of ['x'.repeat(1981), 'give 2 marks '.repeat(160)]) {
    expect(problemsWith(guidance)).toEqual(['questions[0].rubric.criteria too_long']);
  }
});
