import { describe, expect, test } from 'vitest';
import { DEMANDS } from './demandRules.ts';
import { addressesGrader } from './detect.ts';
import { ORDERS } from './orderRules.ts';
import { IN_OTHER_LANGUAGES } from './otherLanguages.ts';
import { LONGEST } from './readings.ts';
import { firstMatch, type Rule } from './rule.ts';
import { IN_STRUCTURE, SQUASHED } from './structureRules.ts';

/* A candidate may write what makes a pattern slow, and the worker's event loop holds the leases of its runs. */

const ALL: readonly Rule[] = [...IN_STRUCTURE, ...DEMANDS, ...ORDERS, ...IN_OTHER_LANGUAGES, ...SQUASHED];
const patterns = ALL.flatMap(({ name, begins, needs = [] }) =>
  [begins, ...needs].map((pattern): [string, RegExp] => [name, pattern]),
);

/** The repetitions of a pattern that have no upper bound. */
const unbounded = ({ source }: RegExp): string[] => {
  // A sign that is meant as itself, alone or in a class, repeats nothing; neither does a lookahead's or a group's "?".
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  return [...plain.matchAll(/.{0,20}(?:[*+]|\{\d+,\})/g)].map(([found]) => found);
};

test('what has no bound is found', () => {
  expect(
    [/a+/, /\w*/, /[#*]{2,}/, /a{1,3}/, /[*+]\+\*{0,2}/, /^[^]*?x/].map((each) => unbounded(each).length),
  ).toEqual([1, 1, 1, 0, 0, 1]);
});

test.each(patterns)('%s: every repetition is bounded: %s', (_, pattern) => {
  expect(unbounded(pattern)).toEqual([]);
});

describe('the longest text that is looked at, made of one sign or of two over and over', () => {
  const SIGNS = '#<>[](){}|/*-="\':;,.!?&%@\\_~ \n1a'.split('');
  const OTHERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  const full = (piece: string) => piece.repeat(LONGEST / piece.length);
  /** Seconds of processor time. */
  const cpuOf = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };

  test('each sign of ASCII, through all readings', () => {
    for (const sign of [...OTHERS, '\n', '\u200B', 'é', 'я', '💯']) {
      expect(
        cpuOf(() => addressesGrader(full(sign))),
        JSON.stringify(sign),
      ).toBeLessThan(2);
    }
  });

  test('two signs, by every rule', () => {
    // Over and over, "ab" is "ba" but for the first sign.
    const tokens = SIGNS.flatMap((one, at) => SIGNS.slice(at).map((two) => one + two));
    for (const token of tokens) {
      const text = full(token);
      const took = cpuOf(() => firstMatch(ALL, text));
      expect(took, JSON.stringify(token)).toBeLessThan(2);
    }
  });
});
