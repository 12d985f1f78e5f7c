import { describe, expect, test } from 'vitest';
import { confidenceOf, reviewReasons } from './confidence.ts';
import { NO_TABLE, readTable } from './confidenceTable.ts';
import type { ConfidenceInput } from './confidence.ts';

const sure = { max: 2, awarded: 2, certainty: 'certain', evidenceFound: true } as const;
const confidenceFor = (input: Partial<ConfidenceInput>) =>
  confidenceOf(
    { criteria: [sure], legibility: null, disagreement: null, marksCorrected: false, ...input },
    readTable(NO_TABLE),
  );

describe('confidence follows its formula', () => {
  test.each<[string, Partial<ConfidenceInput>, number]>([
    ['certain', {}, 0.95],
    ['likely', { criteria: [{ ...sure, certainty: 'likely' }] }, 0.75],
    ['unsure', { criteria: [{ ...sure, certainty: 'unsure' }] }, 0.4],
    ['weighted by marks', { criteria: [sure, { ...sure, max: 6, certainty: 'likely' }] }, 0.8],
    ['marks without evidence', { criteria: [{ ...sure, evidenceFound: false }] }, 0.67],
    ['0 marks without evidence', { criteria: [{ ...sure, awarded: 0, evidenceFound: false }] }, 0.95],
    [
      'a reading of 0 marks without evidence',
      { criteria: [{ ...sure, awarded: 0, evidenceFound: false }], isReading: true },
      0.67,
    ],
    ['a reading that is quoted', { criteria: [{ ...sure, awarded: 0 }], isReading: true }, 0.95],
    ['a half legible page', { legibility: 0.5 }, 0.71],
    ['a page that cannot be read', { legibility: 0 }, 0.48],
    ['legibility out of range', { legibility: 7 }, 0.95],
    [
      'an unsure quarter of the marks',
      {
        criteria: [
          { ...sure, max: 3 },
          { ...sure, max: 1, certainty: 'unsure' },
        ],
      },
      0.55,
    ],
    [
      'an unsure tenth of the marks',
      {
        criteria: [
          { ...sure, max: 9 },
          { ...sure, max: 1, certainty: 'unsure' },
        ],
      },
      0.9,
    ],
    ['marks corrected by code', { marksCorrected: true }, 0.55],
    ['no criteria', { criteria: [] }, 0],
  ])('%s', (_, input, confidence) => {
    expect(confidenceFor(input)).toBeCloseTo(confidence, 5);
  });

  test('a confidence below 0.60 is flagged, one of exactly 0.60 is not', () => {
    expect(reviewReasons(0.6, [])).toEqual([]);
    expect(reviewReasons(0.59, ['a', 'b', 'a'])).toEqual(['low_confidence', 'a', 'b']);
  });
});
