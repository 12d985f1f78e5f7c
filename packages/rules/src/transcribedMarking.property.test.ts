import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankText } from './invisible.ts';
import { foldWord, markObjective, parseDecimal, type ObjectiveKey } from './objectiveMarking.ts';
import { compareTranscribed, markTranscribed } from './transcribedMarking.ts';

const WRAPS: ((text: string) => string)[] = [
  (text) => text,
  (text) => `$${text}$`,
  (text) => `$$${text}$$`,
  (text) => `\\(${text}\\)`,
  (text) => `\\[ ${text} \\]`,
  (text) => `\\boxed{${text}}`,
  (text) => `$\\boxed{\\text{${text}}}$`,
  (text) => `{${text}}`,
  (text) => `**${text}**`,
  (text) => ` "${text}" `,
  (text) => `${text}.`,
  (text) => `$${text}$,`,
];
const outerWrap = fc.constantFrom(...WRAPS);
/**
 * Wrappings that can be inside another one. They do not end with a full stop or comma, because two of these may be an
 * ellipsis.
 */
const innerWrap = fc.constantFrom(...WRAPS.filter((wrap) => !/[.,]$/.test(wrap(''))));

const grouped = (whole: string, grouping: 'three' | 'two'): string => {
  const last = whole.slice(-3);
  const before = whole.slice(0, -3);
  if (before === '') return last;
  const size = grouping === 'three' ? 3 : 2;
  const groups = before.match(new RegExp(`\\d{1,${size}}(?=(?:\\d{${size}})*$)`, 'g')) ?? [];
  return [...groups, last].join(',');
};
/** A whole number and a power of ten to divide by, so that the oracle knows the value without parsing text. */
const value = fc.record({
  digits: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  places: fc.integer({ min: 0, max: 6 }),
  negative: fc.boolean(),
});
type Value = typeof value extends fc.Arbitrary<infer T> ? T : never;
const signOf = ({ negative }: Value) => (negative ? '-' : '');
const plainOf = (each: Value, group: (whole: string) => string = (whole) => whole): string => {
  const all = each.digits.toString().padStart(each.places + 1, '0');
  const [whole, part] = [all.slice(0, all.length - each.places), all.slice(all.length - each.places)];
  return `${signOf(each)}${group(whole)}${part === '' ? '' : `.${part}`}`;
};
/** The notations in which a page reading may give one number. */
const notations = (each: Value): string[] => [
  plainOf(each),
  plainOf(each, (whole) => grouped(whole, 'three')),
  plainOf(each, (whole) => grouped(whole, 'two')),
  plainOf(each, (whole) => grouped(whole, 'two').replaceAll(',', '{,}')),
  `${signOf(each)}${each.digits} \\times 10^{-${each.places}}`,
  `${signOf(each)}${each.digits}\\times10^-${each.places}`,
  `${signOf(each)}${each.digits} × 10^{${-each.places}}`,
  `${signOf(each)}\\frac{${each.digits}}{${10n ** BigInt(each.places)}}`,
  `\\frac{${signOf(each)}${each.digits}}{ ${10n ** BigInt(each.places)} }`,
  `${signOf(each)}${each.digits}/${10n ** BigInt(each.places)}`,
];
const scaled = ({ digits, places, negative }: Value): bigint =>
  (negative ? -digits : digits) * 10n ** BigInt(6 - places);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from('0123456789+-−.,eE/½¾ \t$\\{}()[]^_*xX×⁸⁻"\'“”'),
      '\\frac',
      '\\times',
      '\\text{',
      '{,}',
      '10^',
    ),
    maxLength: 60,
  }),
);
const key: fc.Arbitrary<ObjectiveKey> = fc.oneof(
  fc.record({
    type: fc.constantFrom('mcq_single', 'mcq_multi', 'true_false'),
    correct_options: fc.subarray(['A', 'B', 'C']),
  }),
  fc.record({
    type: fc.constant('numeric' as const),
    answer: fc.oneof(
      fc.double({ noNaN: true }),
      text,
      fc.array(fc.oneof(fc.double(), text), { maxLength: 4 }),
    ),
  }),
  fc.record({ type: fc.constant('one_word' as const), answer: text }),
);
const given = fc.record({ option_labels: fc.subarray(['A', 'B', 'x']), text });
const MARKS = { maxMarks: 2, negativeMarks: 0 };

describe('any text read on a page', () => {
  test('never throws, and an answer that is right as typed stays right', () => {
    fc.assert(
      fc.property(key, given, (theKey, reading) => {
        const typed = markObjective(theKey, reading, MARKS);
        const mark = markTranscribed(theKey, reading, MARKS);
        const compared = compareTranscribed(theKey, reading);
        if (typed.correct !== false) expect(mark).toEqual(typed);
        expect(mark.correct).toBe(compared === null ? null : compared === 'right');
        expect(mark.awarded).toBe(compared === 'right' ? 2 : 0);
      }),
      { numRuns: 1000 },
    );
  });

  test('a number in each notation and wrapping is right; another number in any notation is not right', () => {
    fc.assert(
      fc.property(value, value, innerWrap, outerWrap, (one, other, inner, outer) => {
        const accepted: ObjectiveKey = { type: 'numeric', answer: ['7e-9', plainOf(one)] };
        for (const way of notations(one)) {
          expect([way, compareTranscribed(accepted, { text: outer(inner(way)) })]).toEqual([way, 'right']);
        }
        if (scaled(one) === scaled(other)) return;
        for (const way of notations(other)) {
          expect([way, compareTranscribed(accepted, { text: outer(way) })]).not.toEqual([way, 'right']);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('a fraction is right for its exact value only', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5000, max: 5000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 5 }),
        (above, below, places) => {
          const rounded = (above / below).toFixed(places);
          const isExact =
            BigInt(above) * 10n ** BigInt(places) === BigInt(below) * BigInt(rounded.replace('.', ''));
          expect(
            compareTranscribed({ type: 'numeric', answer: rounded }, { text: `\\frac{${above}}{${below}}` }),
          ).toBe(isExact ? 'right' : 'doubtful');
        },
      ),
    );
  });

  test('a number that cannot be read is doubtful and never wrong', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (answer) => {
        const number: ObjectiveKey = { type: 'numeric', answer };
        for (const beside of ['%', ' km', '°', '?', ' or 2', '²', '!'])
          expect(compareTranscribed(number, { text: `${answer}${beside}` })).toBe('doubtful');
      }),
    );
  });

  test('a word in any wrapping is right; other letters or digits are never right', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...Array.from('abcXYZé0123अ')),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(letters, letters, innerWrap, outerWrap, (one, other, inner, outer) => {
        const asked: ObjectiveKey = { type: 'one_word', answer: one };
        const subscripts = (formula: string) => formula.replace(/\d+/g, (run) => `_{${run}}`);
        for (const dressed of [one, subscripts(one), one.replace(/\d+/g, (run) => `_${run}`)])
          expect(compareTranscribed(asked, { text: outer(inner(dressed)) })).toBe('right');
        if (foldWord(one) !== foldWord(other))
          expect(compareTranscribed(asked, { text: outer(inner(subscripts(other))) })).not.toBe('right');
      }),
    );
  });

  test('a sign between letters makes a word doubtful', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ')), minLength: 2, maxLength: 8 }),
        fc.constantFrom('-', '+', '/', ' ', '’', '.', '^', '(', '#'),
        (asked, sign) => {
          const read = `${asked.slice(0, 1)}${sign}${asked.slice(1)}`;
          expect(compareTranscribed({ type: 'one_word', answer: asked }, { text: read })).toBe('doubtful');
          expect(compareTranscribed({ type: 'one_word', answer: read }, { text: asked })).toBe('doubtful');
        },
      ),
    );
  });
});

describe('hostile text takes little time', () => {
  test.each([
    ['wrappings in wrappings', '{'.repeat(250) + '}'.repeat(250)],
    ['commands without end', '\\text{'.repeat(83)],
    ['commands that close', `${'\\text{'.repeat(60)}1${'}'.repeat(60)}`],
    ['dollars', '$'.repeat(500)],
    ['groups that end badly', `1${',111'.repeat(124)}x`],
    ['groups of two', `1${',11'.repeat(160)},11`],
    ['digits', '9'.repeat(500)],
    ['a power of many digits', `${'9'.repeat(400)} \\times 10^{999999999}`],
    ['a power of no size', `10^{${'9'.repeat(30)}}`],
    ['spaces', `${' '.repeat(250)}1${' '.repeat(249)}.`],
    ['subscripts', '_{a}'.repeat(125)],
    ['subscripts that do not close', '_{'.repeat(250)],
    ['a fraction of large numbers', `\\frac{${'9'.repeat(30)}}{${'7'.repeat(30)}}`],
  ])('%s', (_, hostile) => {
    const before = process.cpuUsage();
    const answer = Array.from({ length: 100 }, (_each, index) => `${index}e-999999999`);
    for (let times = 0; times < 5; times += 1) {
      compareTranscribed({ type: 'numeric', answer }, { text: hostile });
      compareTranscribed({ type: 'one_word', answer: hostile.slice(0, 255) }, { text: `x${hostile}` });
    }
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });

  test('a wrapped value is not blank, and a blank one is not a value', () => {
    for (const wrapped of WRAPS.slice(1).map((each) => each(''))) {
      expect(isBlankText(wrapped)).toBe(false);
      expect(compareTranscribed({ type: 'numeric', answer: 0 }, { text: wrapped })).toBe('doubtful');
    }
    expect(parseDecimal('')).toBeNull();
  });
});
