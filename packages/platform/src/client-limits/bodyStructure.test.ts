import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countStructure, BodyTooLarge, type StructureLimits } from './bodyStructure.ts';
import { limitsOfBody, limitsOfCall } from './callLimits.ts';

const HIGH: StructureLimits = { values: 1e9, fields: 1e9, depth: 1e9, textBytes: 1e9 };

const accepts = (json: string, limits: Partial<StructureLimits>, chunkBytes = 65_536): boolean => {
  const count = countStructure({ ...HIGH, ...limits });
  const bytes = Buffer.from(json);
  try {
    for (let from = 0; from < bytes.length; from += chunkBytes)
      count(bytes.subarray(from, from + chunkBytes));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(BodyTooLarge);
    return false;
  }
};

/** Expected counts, from the parsed value. */
const structureOf = (value: unknown): Omit<StructureLimits, 'textBytes'> => {
  if (typeof value !== 'object' || value === null) return { values: 0, fields: 0, depth: 0 };
  const parts = Object.values(value).map(structureOf);
  return {
    values: Math.max(1, parts.length) + parts.reduce((sum, part) => sum + part.values, 0),
    fields: Math.max(Array.isArray(value) ? 0 : parts.length, ...parts.map(({ fields }) => fields)),
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
  };
};

test('any JSON has exactly the values, fields and levels of its parsed value, with any chunk borders', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.constantFrom(undefined, 1, '\t'),
      fc.integer({ min: 1, max: 20 }),
      (value, space, chunkBytes) => {
        const json = JSON.stringify(value, null, space);
        const { values, fields, depth } = structureOf(value);
        expect(accepts(json, { values, fields: Math.max(1, fields), depth }, chunkBytes)).toBe(true);
        if (depth === 0) return;
        if (fields > 1) expect(accepts(json, { fields: fields - 1 }, chunkBytes)).toBe(false);
        expect(accepts(json, { values: values - 1 }, chunkBytes)).toBe(false);
        expect(accepts(json, { depth: depth - 1 }, chunkBytes)).toBe(false);
      },
    ),
  );
});

test('the length of a text counts as it is written', () => {
  const text = String.raw`{"a":"\\\"\u20ac,[{é"}`;
  const bytes = Buffer.byteLength(text) - '{"a":""}'.length;
  for (const chunkBytes of [1, 2, 100]) {
    expect(accepts(text, { textBytes: bytes, values: 1, depth: 1 }, chunkBytes)).toBe(true);
    expect(accepts(text, { textBytes: bytes - 1 }, chunkBytes)).toBe(false);
  }
});

test('what is no JSON is counted too, without an error of another kind', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => void accepts(text, { values: 3, depth: 2 })),
  );
});

test('a call has room for the largest body of its procedure', () => {
  for (const procedure of ['public.exams.create', 'public.marking.next', 'grading.record', 'unknown']) {
    expect(limitsOfCall(procedure).values).toBeGreaterThan(limitsOfBody(procedure).values);
    expect(limitsOfCall(procedure).depth).toBeGreaterThan(limitsOfBody(procedure).depth);
  }
});
