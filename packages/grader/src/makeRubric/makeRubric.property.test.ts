import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Rubric } from '@evaluation/rest-contract/schemas';
import { addUp, checkRubric } from '@evaluation/rules';
import { rubricFromWords } from '../baseline/makeRubric.ts';
import type { MadeRubric, MakeRubricRequest } from '../grader.ts';
import { MalformedOutput } from '../strictSchema.ts';
import { settleRubric } from './parse.ts';
import { rubricSchema, type RubricWire } from './schema.ts';

const request = (maxMarks: number, text = 'Why is the sky blue?'): MakeRubricRequest => ({
  exam: { subject: null, level: 'school', board: null, class: null, instructions: null },
  question: { label: '1', text, maxMarks },
});

/** Rules of a client's rubric, and half steps. */
const expectRubric = (criteria: MadeRubric, maxMarks: number): void => {
  expect(Rubric.safeParse({ criteria }).error).toBeUndefined();
  expect(checkRubric({ criteria }, maxMarks, 'rubric')).toEqual([]);
  expect(criteria.every(({ marks }) => marks > 0 && Number.isInteger(marks * 2))).toBe(true);
};

const settled = (maxMarks: number, wire: RubricWire): MadeRubric | null => {
  try {
    return settleRubric(request(maxMarks), wire).value;
  } catch (error) {
    if (error instanceof MalformedOutput) return null;
    throw error;
  }
};

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    'Idea',
    'IDEA ',
    'idea (2)',
    '<b>Idea</b>',
    'x < y',
    '\u0000\ud800',
    'x'.repeat(400),
    '😀'.repeat(200),
    'Ide\u0301e',
    'Id\u00e9e',
    'give 2 marks',
    'Names\nthe cause.',
  ),
);
const hostileMarks = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 1000, noNaN: true }),
  fc.integer({ min: 0, max: 20 }).map((halves) => halves / 2),
  fc.constantFrom(0, -0, -1, 0.1, 5e-324, 1e308, 1000, Number.NaN, Number.POSITIVE_INFINITY),
);
const hostile: fc.Arbitrary<RubricWire> = fc.record({
  criteria: fc.array(
    fc.record({
      name: hostileText,
      marks: hostileMarks,
      keywords: fc.array(hostileText, { maxLength: 40 }),
      guidance: fc.oneof(hostileText, fc.constant('Names the cause. '.repeat(230))),
    }),
    { maxLength: 14 },
  ),
});
const maxMarks = fc.integer({ min: 1, max: 2000 }).map((halves) => halves / 2);

describe('any proposal of a model', () => {
  test('becomes a valid rubric, or goes back to the model', () => {
    let taken = 0;
    fc.assert(
      fc.property(maxMarks, hostile, (max, wire) => {
        const value = settled(max, wire);
        if (value === null) return;
        taken += 1;
        expectRubric(value, max);
      }),
      { numRuns: 500 },
    );
    // Guards against a property without cases.
    expect(taken).toBeGreaterThan(20);
  });

  const sound = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 10 });

  test('marks are scaled in proportion to half steps that add up, and none becomes 0 if there are enough steps', () => {
    fc.assert(
      fc.property(maxMarks, sound, (max, proposed) => {
        fc.pre(proposed.some((marks) => marks > 0));
        const criteria = proposed.map((marks, index) => ({
          name: `c${index}`,
          marks,
          keywords: [],
          guidance: '',
        }));
        const value = settleRubric(request(max), { criteria }).value;
        expectRubric(value, max);
        const positive = proposed.filter((marks) => marks > 0).length;
        expect(value).toHaveLength(Math.min(positive, max * 2));
        const byName = new Map(value.map(({ name, marks }) => [name, marks]));
        // Criteria with equal remainders may get the half step in either order; otherwise the order of the proposal
        // stays.
        const inOrder = [...proposed.entries()].toSorted(([, a], [, b]) => b - a);
        const given = inOrder.map(([index]) => byName.get(`c${index}`) ?? 0);
        expect(given.every((marks, place) => marks >= (given[place + 1] ?? 0) - 0.5)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('marks that add up in half steps stay unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }), (halves) => {
        const criteria = halves.map((half, index) => ({
          name: `c${index}`,
          marks: half / 2,
          keywords: [],
          guidance: '',
        }));
        const { value, problems } = settleRubric(request(addUp(criteria.map(({ marks }) => marks))), {
          criteria,
        });
        expect(value.map(({ marks }) => marks)).toEqual(criteria.map(({ marks }) => marks));
        expect(problems).toEqual([]);
      }),
    );
  });
});

const criterion = (change: Partial<RubricWire['criteria'][number]> = {}) => ({
  name: 'Scattering',
  marks: 1,
  keywords: ['Rayleigh'],
  guidance: 'Says that air scatters short waves more.',
  ...change,
});

describe('a rubric that a model made', () => {
  test('of half a mark has only the criterion with the most marks', () => {
    const criteria = [criterion({ marks: 1 }), criterion({ name: 'Waves', marks: 2 })];
    expect(settleRubric(request(0.5), { criteria })).toEqual({
      value: [{ ...criterion({ name: 'Waves' }), marks: 0.5 }],
      problems: [
        'criteria without marks were dropped',
        'criterion marks were scaled to add up in half steps',
      ],
    });
  });

  test('has names that differ ignoring case, without angle brackets, and unique keywords', () => {
    const criteria = [
      criterion({ name: ' Is x < y\n? ', keywords: ['Air', 'air ', '', 'sky'] }),
      criterion({ name: 'is x ‹ y ?' }),
    ];
    expect(settleRubric(request(2), { criteria }).value).toMatchObject([
      { name: 'Is x ‹ y ?', keywords: ['Air', 'sky'] },
      { name: 'is x ‹ y ? (2)' },
    ]);
  });

  test.each<[string, RubricWire['criteria'], RegExp]>([
    ['no criteria', [], /no criterion with marks/],
    ['criteria without marks', [criterion({ marks: 0 })], /no criterion with marks/],
    ['negative marks', [criterion({ marks: -1 })], /Criterion 1: the marks are out of range/],
    ['an empty name', [criterion(), criterion({ name: ' \u0000 ' })], /Criterion 2 has no name/],
    [
      'mark figures in guidance',
      [criterion({ guidance: 'Give 2 marks for it.' })],
      /Criterion 1: the guidance/,
    ],
    ['too many criteria', Array.from({ length: 11 }, () => criterion()), /more than 10 criteria/],
  ])('with %s goes back to the model with the reason', (_name, criteria, problem) => {
    expect(rubricSchema.safeParse({ criteria }).success).toBe(true);
    expect(() => settleRubric(request(2), { criteria })).toThrow(
      expect.objectContaining({ problem: expect.stringMatching(problem) }),
    );
  });
});

describe('the baseline’s rubric', () => {
  test('obeys the rules for any text of a question', () => {
    const text = fc.oneof(
      hostileText,
      fc.constantFrom('Why?', `${'a'.repeat(15_000)} sky`),
      fc.lorem({ maxCount: 80 }),
    );
    fc.assert(
      fc.property(maxMarks, text, (max, question) => {
        expectRubric(rubricFromWords(request(max, question)), max);
      }),
    );
  });

  test('looks for the words of the question', () => {
    expect(rubricFromWords(request(3, 'Explain why the sky is blue.'))).toMatchObject([
      { marks: 3, keywords: ['sky', 'blue'] },
    ]);
    expect(rubricFromWords(request(3, 'Why?'))).toEqual([
      { name: 'Answer', marks: 3, keywords: [], guidance: null },
    ]);
  });
});
