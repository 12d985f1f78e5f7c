import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankText } from './invisible.ts';
import { foldWord, markObjective, parseDecimal, type ObjectiveKey } from './objectiveMarking.ts';

const LABELS = ['A', 'B', 'C', 'd', 'D', '1', 'ß', 'Ⅳ', ' '];
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 255 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(...Array.from('0123456789+-−–.,eE²½४٣４٫％ \t\u200b\u00a0/x')),
    maxLength: 40,
  }),
  fc.constantFrom('', ' ', '\u200b', '1e999999999', '-1e-999999999', '1e9999999999', 'NaN', '__proto__'),
);
const key: fc.Arbitrary<ObjectiveKey> = fc.oneof(
  fc.record({
    type: fc.constantFrom('mcq_single', 'mcq_multi', 'true_false'),
    correct_options: fc.subarray(LABELS),
  }),
  fc.record({
    type: fc.constant('numeric' as const),
    answer: fc.oneof(
      fc.double({ noNaN: true }),
      text,
      fc.array(fc.oneof(fc.double(), text), { maxLength: 5 }),
    ),
  }),
  fc.record({ type: fc.constant('one_word' as const), answer: text }),
);
const given = fc.record(
  { option_labels: fc.array(fc.oneof(fc.constantFrom(...LABELS), text), { maxLength: 26 }), text },
  { requiredKeys: [] },
);
const marks = fc.record({
  maxMarks: fc.integer({ min: 1, max: 2000 }).map((halves) => halves / 2),
  negativeMarks: fc.integer({ min: 0, max: 4000 }).map((quarters) => quarters / 4),
});
/** A decimal as digits and the place of the point, so that the oracle knows the value without parsing text. */
const decimal = fc.record({
  digits: fc.bigInt({ min: 0n, max: 10n ** 30n }),
  places: fc.integer({ min: 0, max: 40 }),
  negative: fc.boolean(),
});
type Value = typeof decimal extends fc.Arbitrary<infer T> ? T : never;

describe('marking any answer against any key', () => {
  test('never throws, awards one of three marks, is deterministic, and blank is never negative', () => {
    fc.assert(
      fc.property(key, given, marks, (theKey, answer, { maxMarks, negativeMarks }) => {
        const mark = markObjective(theKey, answer, { maxMarks, negativeMarks });
        expect(markObjective(theKey, structuredClone(answer), { maxMarks, negativeMarks })).toEqual(mark);
        expect([maxMarks, 0, -negativeMarks].some((award) => award === mark.awarded)).toBe(true);
        expect(Object.is(mark.awarded, -0)).toBe(false);
        const isBlank =
          'correct_options' in theKey
            ? (answer.option_labels ?? []).every(isBlankText)
            : isBlankText(answer.text ?? '');
        expect(mark).toEqual(
          isBlank
            ? { status: 'not_answered', awarded: 0, correct: null }
            : {
                status: 'graded',
                correct: expect.any(Boolean),
                awarded: mark.correct === true ? maxMarks : 0 - negativeMarks,
              },
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('a key marks itself right: choices in any order', () => {
    const itself = fc.shuffledSubarray(LABELS.slice(0, 8), { minLength: 1 });
    fc.assert(
      fc.property(itself, fc.constantFrom('mcq_single', 'mcq_multi', 'true_false'), (labels, type) => {
        const mark = markObjective(
          { type, correct_options: labels.toSorted() },
          { option_labels: labels },
          { maxMarks: 1, negativeMarks: 1 },
        );
        expect(mark.correct).toBe(true);
      }),
    );
  });

  /** Notations of one number: plain, with extra zeros, exponent or sign, in digits of any script. */
  const ways = ({ digits, places, negative }: Value): string[] => {
    const sign = negative ? '-' : '';
    const all = digits.toString().padStart(places + 1, '0');
    const [whole, part] = [all.slice(0, all.length - places), all.slice(all.length - places)];
    const plain = `${sign}${whole}${places === 0 ? '' : `.${part}`}`;
    return [
      plain,
      ` ${plain}\n`,
      `${plain}${places === 0 ? '.' : ''}000`,
      `${sign}00${plain.slice(sign.length)}`,
      `${sign}${digits}e-${places}`,
      `${sign}${digits}00E-000${places + 2}`,
      `${sign}.${digits}e${digits.toString().length - places}`,
      plain.replace('-', '\u2212').replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit))),
      plain.replaceAll(/[-\d.]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)),
      ...(negative ? [] : [`+${plain}`]),
    ];
  };

  test('a key marks itself right: a number in each notation, for the key and for the answer', () => {
    fc.assert(
      fc.property(decimal, decimal, (value, other) => {
        for (const way of ways(value)) {
          for (const answer of [way, [...ways(other).slice(0, 2), way]]) {
            const marked = ways(value).map((typed) =>
              markObjective({ type: 'numeric', answer }, { text: typed }, { maxMarks: 1, negativeMarks: 1 }),
            );
            expect(marked.map(({ correct }) => correct)).toEqual(marked.map(() => true));
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('a key that is a JSON number is right in the form that JavaScript and JSON print', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (answer) => {
        const marking = { maxMarks: 1, negativeMarks: 1 };
        expect(
          markObjective({ type: 'numeric', answer }, { text: JSON.stringify(answer) }, marking),
        ).toMatchObject({
          correct: true,
        });
      }),
    );
  });

  test('two numbers that differ in any digit are not equal', () => {
    fc.assert(
      fc.property(decimal, decimal, (one, other) => {
        const scaled = ({ digits, places, negative }: Value) =>
          (negative ? -digits : digits) * 10n ** BigInt(40 - places);
        const mark = markObjective(
          { type: 'numeric', answer: ways(one)[0] ?? '' },
          { text: ways(other)[4] ?? '' },
          { maxMarks: 1, negativeMarks: 1 },
        );
        expect(mark.correct).toBe(scaled(one) === scaled(other));
      }),
    );
  });

  test('a key marks itself right: a word in another case, encoding, or with outer white space', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 255 }).filter((word) => !isBlankText(word)),
        (word) => {
          const forms = [
            word,
            `  ${word}\u00a0`,
            word.normalize('NFD'),
            word.normalize('NFKC'),
            foldWord(word),
          ];
          for (const typed of forms) {
            expect(
              markObjective(
                { type: 'one_word', answer: word },
                { text: typed },
                { maxMarks: 1, negativeMarks: 1 },
              ).correct,
            ).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('folding, over all of Unicode', () => {
  /**
   * All characters that have a case, a form or a shape. Left out: 100,000 ideographs and syllables, which do not fold.
   */
  const characters: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const char = code < 0xd800 || code > 0xdfff ? String.fromCodePoint(code) : '';
    if (/[^\p{Cn}\p{Co}\p{Unified_Ideograph}\uAC00-\uD7A3\u{17000}-\u{18CFF}]/u.test(char))
      characters.push(char);
  }

  test('a folded word folds to itself, and nothing visible folds to nothing', () => {
    const odd: string[] = [];
    characters.forEach((char) => {
      const folded = foldWord(char);
      if (foldWord(folded) !== folded || (folded === '') !== isBlankText(char)) odd.push(char);
    });
    expect(odd).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (word) => {
        const folded = foldWord(word);
        expect(foldWord(folded)).toBe(folded);
      }),
      { numRuns: 500 },
    );
  });

  test('each capital letter equals its small letter, except i without a dot', () => {
    const odd: string[] = [];
    characters.forEach((char) => {
      const folded = foldWord(char);
      if ([char.toUpperCase(), char.toLowerCase()].some((other) => foldWord(other) !== folded))
        odd.push(char);
    });
    expect(odd).toEqual(['ı']);
  });

  test('characters that Unicode keeps apart stay apart, but for forms of quotes and dashes', () => {
    const alike = new Map<string, string>();
    const odd: string[] = [];
    characters.forEach((char) => {
      const plain = char
        .normalize('NFKC')
        .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
        .trim();
      const [folded, first] = [foldWord(char), alike.get(foldWord(char))];
      if (/^[-'"]+$/.test(folded)) return;
      if (first === undefined) alike.set(folded, plain);
      else if (
        first !== plain &&
        first.toLowerCase() !== plain.toLowerCase() &&
        first.toUpperCase() !== plain.toUpperCase()
      )
        odd.push(`${first} ${plain}`);
    });
    expect(odd).toEqual([]);
  });
});

describe('digits', () => {
  /** Numbering systems that ICU knows and that have ten digits. */
  const systems = Intl.supportedValuesOf('numberingSystem').filter((name) =>
    /^\p{Nd}{10}$/u.test(tenDigits(name)),
  );
  function tenDigits(system: string): string {
    const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
    return Array.from({ length: 10 }, (_, value) => format.format(value)).join('');
  }

  test('digits of every script have the value that ICU gives them', () => {
    expect(systems.length).toBeGreaterThan(60);
    for (const system of systems)
      expect(parseDecimal(`1${tenDigits(system)}`)?.toFixed()).toBe('10123456789');
  });

  test('only digits that count from 0 to 9 make a number', () => {
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      const char = code < 0xd800 || code > 0xdfff ? String.fromCodePoint(code) : '';
      if (/[\p{No}\p{Nl}]/u.test(char)) expect(parseDecimal(char)).toBeNull();
    }
  });
});

describe('hostile answers take little time', () => {
  test.each([
    ['a huge exponent', '1e999999999'],
    ['a tiny one', '1e-999999999'],
    ['an exponent that is no number any more', `1e${'9'.repeat(253)}`],
    ['an exponent of zeros', `1e${'0'.repeat(252)}5`],
    ['many digits', '9'.repeat(255)],
    ['many digits of another script', '𝟿'.repeat(255)],
    ['many digits that end badly', `${'9'.repeat(254)}x`],
    ['many points', '.'.repeat(255)],
    ['many signs', '-'.repeat(255)],
    ['digits and points', '1.'.repeat(127)],
    ['many spaces', `${' '.repeat(127)}1${' '.repeat(127)}x`],
    ['ligatures that grow to 18 characters each', '\ufdfa'.repeat(255)],
    ['accents upon accents', `a${'\u0301\u0323'.repeat(127)}`],
  ])('%s is marked against a hundred accepted numbers', (_name, hostile) => {
    const accepted = Array.from({ length: 100 }, (_, index) => `${index}e999`);
    for (let times = 0; times < 10; times += 1) {
      markObjective(
        { type: 'numeric', answer: accepted },
        { text: hostile },
        { maxMarks: 1, negativeMarks: 0 },
      );
      markObjective(
        { type: 'one_word', answer: hostile },
        { text: hostile },
        { maxMarks: 1, negativeMarks: 0 },
      );
    }
  });

  test('leading zeros of an exponent do not count as digits', () => {
    expect(parseDecimal(`1e${'0'.repeat(252)}5`)?.toNumber()).toBe(100_000);
    expect(parseDecimal('1e-0000000000002')?.toNumber()).toBe(0.01);
    expect(parseDecimal('1e1000000000')).toBeNull();
  });

  test('the time grows linearly with the length', () => {
    for (const hostile of [
      `${'9'.repeat(100_000)}x`,
      `1e${'0'.repeat(100_000)}x`,
      ' '.repeat(100_000) + 'x',
    ]) {
      expect(parseDecimal(hostile)).toBeNull();
    }
    expect(foldWord(`a${' '.repeat(100_000)}b`)).toBe('A B');
  });
});
