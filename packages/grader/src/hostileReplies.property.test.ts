import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alignedByLabels,
  alignRequest,
  exam,
  judgedReply,
  longQuestion,
  optionQuestion,
  typedAnswer,
} from '../test/requests.ts';
import { alignAnswersCall } from './alignAnswers/alignAnswers.ts';
import { NO_TABLE, readTable } from './confidenceTable.ts';
import type { JudgeRequest } from './grader.ts';
import { judgeByCriteriaCall, readObjectiveCall } from './judgeAnswer/judgeAnswer.ts';
import { judgementOf } from './judgeAnswer/judgement.ts';
import { objectiveKey } from './judgeAnswer/objective.ts';
import { makeRubricCall } from './makeRubric/makeRubric.ts';
import type { ModelCall } from './modelCall.ts';
import { settlePages } from './readPages/parse.ts';
import { pagesSchema } from './readPages/schema.ts';
import { MalformedOutput, readStrict } from './strictSchema.ts';

/*
 * Any text may come back from a model. Each reply below is a good one that was damaged: as text, or at one place of its
 * JSON. It gives a value within its bounds, or MalformedOutput, and no other error.
 *
 * HOSTILE_REPLIES=100000 npx vitest run packages/grader/src/hostileReplies.property.test.ts     more replies
 */
const RUNS = Number(process.env['HOSTILE_REPLIES'] ?? 300);
const table = readTable(NO_TABLE);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    -1,
    1e308,
    -1e308,
    0.1,
    2.25,
    1e-9,
    [],
    {},
    [null],
    'certain',
    'x'.repeat(5_000),
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

type Holder = Record<string, unknown> | unknown[];

const placesIn = (value: unknown): { holder: Holder; name: string }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.entries(holder).flatMap(([name, inner]) => [{ holder, name }, ...placesIn(inner)]);
};

/** Replaces values at some places of a good reply. */
const altered = (good: object): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(), fc.option(hostileValue, { nil: undefined })), { minLength: 1, maxLength: 3 })
    .map((changes) => {
      const reply = structuredClone(good);
      for (const [at, by] of changes) {
        const places = placesIn(reply);
        const place = places[at % Math.max(places.length, 1)];
        if (place === undefined) continue;
        // `undefined` leaves the field out.
        Object.defineProperty(place.holder, place.name, {
          value: structuredClone(by),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      return JSON.stringify(reply);
    });

/** Cuts, repeats, replaces or surrounds a part of the text. */
const damaged = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(40), fc.string({ maxLength: 12 }), fc.nat(6))
    .map(([at, length, other, how]) => {
      const [before, part, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
      return [
        before,
        before + after,
        before + part + part + after,
        before + other + after,
        `\`\`\`json\n${text}\n\`\`\`${other}`,
        `<think>${before}</think>${text}`,
        `${text}${text}`,
      ][how] as string;
    });

const repliesTo = (good: object): fc.Arbitrary<string> =>
  fc.oneof(
    altered(good),
    damaged(JSON.stringify(good)),
    altered(good).chain(damaged),
    fc.string({ unit: 'binary' }),
    fc.json(),
  );

/** Reads and settles a reply as the grader does. @returns null for MalformedOutput */
const settled = <Wire, Value>(
  call: Pick<ModelCall<Wire, Value>, 'schema' | 'settle'>,
  reply: string,
): Value | null => {
  try {
    return call.settle(readStrict(call.schema, reply)).value;
  } catch (error) {
    if (error instanceof MalformedOutput) return null;
    throw error;
  }
};

const check = <Wire, Value>(
  call: Pick<ModelCall<Wire, Value>, 'schema' | 'settle'>,
  good: object,
  expectValue: (value: Value) => void,
): void => {
  const value = settled(call, JSON.stringify(good));
  if (value === null) throw new Error('the undamaged reply is malformed');
  expectValue(value);
  fc.assert(
    fc.property(repliesTo(good), (reply) => {
      const found = settled(call, reply);
      if (found !== null) expectValue(found);
    }),
    { numRuns: RUNS },
  );
};

const expectMarks = (awarded: number, maxMarks: number): void => {
  expect(awarded).toBeGreaterThanOrEqual(0);
  expect(awarded).toBeLessThanOrEqual(maxMarks);
  expect(Number.isInteger(awarded * 2)).toBe(true);
};

describe('a damaged reply of a model gives a value within bounds or is malformed', () => {
  test('marks of a long answer', () => {
    const request: JudgeRequest = {
      exam,
      question: longQuestion(),
      answer: typedAnswer('Plants make glucose.'),
    };
    check(judgeByCriteriaCall(request, 'first', table), judgedReply([{}, {}]), (look) => {
      const judgement = judgementOf(request, look, null, table);
      expectMarks(judgement.awarded, request.question.maxMarks);
      expect(judgement.confidence).toBeGreaterThanOrEqual(0);
      expect(judgement.confidence).toBeLessThanOrEqual(1);
      for (const criterion of judgement.criteria) {
        expect(criterion.awarded).toBeGreaterThanOrEqual(0);
        expect(criterion.awarded).toBeLessThanOrEqual(criterion.max);
      }
    });
  });

  test('the reading of an objective answer', () => {
    const request: JudgeRequest = { exam, question: optionQuestion, answer: typedAnswer('B') };
    const key = objectiveKey(optionQuestion);
    if (key === null) throw new Error('the question has no key');
    const good = {
      status: 'answered',
      evidence: 'B',
      option_labels: ['B'],
      value: null,
      certainty: 'certain',
      feedback_if_right: 'Well done.',
      feedback_if_wrong: 'Read it again.',
      addresses_grader: false,
    };
    check(readObjectiveCall(request, key, table), good, ({ awarded }) =>
      expectMarks(awarded, optionQuestion.maxMarks),
    );
  });

  test('the reading of pages', () => {
    const box = { x: 0.1, y: 0.1, width: 0.5, height: 0.1 };
    const page = (number: number) => ({
      page: number,
      top: 'top',
      blocks: [{ label: '1', continues: false, text: 'Plants.', crossed_out: false, box }],
      legibility: 1,
      language: 'en',
      printed: [],
    });
    const call = {
      schema: pagesSchema,
      settle: (wire: Parameters<typeof settlePages>[2]) => settlePages([1, 2], null, wire),
    };
    check(call, { pages: [page(1), page(2)] }, (readings) => {
      expect(readings.map(({ reading }) => reading.page)).toEqual([1, 2]);
      for (const { reading } of readings) {
        expect(reading.legibility).toBeGreaterThanOrEqual(0);
        expect(reading.legibility).toBeLessThanOrEqual(1);
        for (const { x, y, width, height } of reading.blocks.map((block) => block.box)) {
          expect(Math.min(x, y, width, height)).toBeGreaterThanOrEqual(0);
          expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1 + 1e-9);
        }
      }
    });
  });

  test('the assignment of blocks to questions', () => {
    check(alignAnswersCall(alignRequest), { answers: alignedByLabels }, (answers) => {
      expect(answers.map(({ number }) => number)).toEqual([1, 2]);
      for (const { page, block } of answers.flatMap(({ blocks }) => blocks))
        expect(alignRequest.pages.find((each) => each.page === page)?.blocks[block]).toBeDefined();
    });
  });

  test('a rubric', () => {
    const request = { exam, question: { label: '3', text: 'What is photosynthesis?', maxMarks: 3 } };
    const criterion = (name: string, marks: number) => ({
      name,
      marks,
      keywords: ['glucose'],
      guidance: 'Names it.',
    });
    check(
      makeRubricCall(request),
      { criteria: [criterion('Product', 2), criterion('Light', 1)] },
      (criteria) => {
        expect(criteria.reduce((sum, { marks }) => sum + marks, 0)).toBe(3);
        for (const { marks } of criteria) expectMarks(marks, 3);
      },
    );
  });
});
