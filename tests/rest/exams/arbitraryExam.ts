import fc from 'fast-check';
import type { ExamCreate } from '@evaluation/rest-contract/schemas';

/* Any valid body of a client (docs/api/exams.md#fields): texts of the right length in code points, without NUL. */

const text = (max: number) =>
  fc
    .string({ unit: 'grapheme', maxLength: Math.min(max, 40) })
    .map((value) => [...value].slice(0, max).join(''))
    .filter((value) => !value.includes('\u0000') && value.isWellFormed());
const filled = (max: number) => text(max).map((value) => (value.trim() === '' ? 'x' : value));
const short = (max: number) => filled(max).map((value) => value.replaceAll(/[<>]/g, '≠'));
const left = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.constant(null), fc.constant(undefined));
export const halfStep = fc.integer({ min: 1, max: 2000 }).map((halves) => halves / 2);
const word = fc.stringMatching(/^[a-z]{1,12}$/);
const tags = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)), {
  maxKeys: 4,
});

const common = {
  parent_label: left(short(16)),
  word_limit: left(fc.integer({ min: 1, max: 5000 })),
  expects_diagram: left(fc.boolean()),
  assess_language: left(fc.boolean()),
  tags: left(tags),
  external_id: left(filled(128)),
  text: filled(2000),
  negative_marks: left(fc.integer({ min: 0, max: 300 }).map((hundredths) => hundredths / 100)),
};
const LABELS = ['A', 'B', 'C', 'D'];
const choice = fc
  .record({
    ...common,
    type: fc.constantFrom('mcq_single' as const, 'mcq_multi' as const, 'true_false' as const),
    max_marks: halfStep,
    texts: fc.array(text(200), { minLength: 2, maxLength: 4 }),
    right: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ texts, right, ...question }) => {
    const options = texts
      .slice(0, question.type === 'true_false' ? 2 : 4)
      .map((option, index) => ({ label: LABELS[index] ?? '', text: option }));
    const correct = question.type === 'mcq_multi' ? ['A', 'B'] : [LABELS[right] ?? ''];
    return { ...question, options, correct_options: correct };
  });
const numeric = fc.record({
  ...common,
  type: fc.constant('numeric' as const),
  max_marks: halfStep,
  answer: fc.oneof(
    fc.integer(),
    fc.constantFrom<(string | (string | number)[])[]>(' 1.50 ', '-2e3', [1, '2.0']),
  ),
});
const oneWord = fc.record({
  ...common,
  type: fc.constant('one_word' as const),
  max_marks: halfStep,
  answer: short(255),
});
const long = fc
  .record({
    ...common,
    type: fc.constant('long_answer' as const),
    model_answer: left(text(2000)),
    partial: left(fc.boolean()),
    marks: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
    names: fc.array(word, { minLength: 4, maxLength: 4 }),
    keywords: left(fc.array(text(255), { maxLength: 3 })),
    hasRubric: fc.boolean(),
  })
  .map(({ partial, marks, names, keywords, hasRubric, ...question }) => ({
    ...question,
    // Halves, so that any sum of them is a multiple of 0.5.
    max_marks: marks.reduce((sum, mark) => sum + mark, 0) / 2,
    rubric: hasRubric
      ? {
          ...(partial === undefined ? {} : { partial_marking: partial }),
          criteria: marks.map((mark, index) => ({
            name: `${names[index]} ${index}`,
            marks: mark / 2,
            ...(keywords === undefined ? {} : { keywords }),
          })),
        }
      : null,
  }));

export const SECTIONS = ['Physics', 'Biology', 'Chemistry'];
export const exam = fc
  .record({
    title: short(255),
    mode: fc.constantFrom('typed' as const, 'handwritten' as const),
    conducted_on: left(
      fc
        .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((day) => day.toISOString().slice(0, 10)),
    ),
    subject: left(text(120)),
    level: left(fc.constantFrom('school' as const, 'ug' as const, 'pg' as const, 'upsc' as const)),
    board: left(text(64)),
    class: left(text(32)),
    instructions: left(text(4000)),
    blind: left(fc.boolean()),
    orders: left(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 3, maxLength: 3 })),
    questions: fc.array(
      fc.tuple(fc.oneof(choice, numeric, oneWord, long), fc.integer({ min: -1, max: 2 }), fc.boolean()),
      { maxLength: 5 },
    ),
    candidates: fc.uniqueArray(
      fc.record({
        external_id: filled(60),
        name: left(short(255)),
        roll_number: left(short(64)),
        section_or_class: left(short(64)),
        metadata: left(tags),
      }),
      { maxLength: 3, selector: ({ external_id }) => external_id },
    ),
  })
  .map(({ orders, questions, ...rest }): ExamCreate => {
    const sent = {
      ...rest,
      sections: orders?.map((order, index) => ({ name: SECTIONS[index] ?? '', order })),
      questions: questions.map(([question, section, shouts], index) => ({
        ...question,
        label: `Q${index}`,
        section: shouts ? SECTIONS[section]?.toUpperCase() : SECTIONS[section],
      })),
    };
    // As JSON: fields with the value undefined are omitted.
    return JSON.parse(JSON.stringify(sent)) as ExamCreate;
  });
