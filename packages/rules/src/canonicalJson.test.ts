import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, canonicalPieces } from './canonicalJson.ts';

const written = (value: unknown): string => [...canonicalPieces(value)].join('');

test('canonicalPieces() yields the text of canonicalJson(), so that stored fingerprints stay valid', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('10', '9', '0', '01', '-1', '4294967295', '__proto__'));
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value')),
      fc.dictionary(names, tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      expect(written(parsed)).toBe(canonicalJson(parsed));
    }),
  );
  expect(written(undefined)).toBe(canonicalJson(undefined));
});
