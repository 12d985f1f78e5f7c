import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_TABLE, readTable } from '../confidenceTable.ts';
import type { JudgeRequest } from '../grader.ts';
import { exam, longQuestion, typedAnswer } from '../openai/fixtures.ts';
import { MalformedOutput, readStrict } from '../strictSchema.ts';
import { judgeByCriteriaCall } from './judgeAnswer.ts';
import { judgementOf } from './judgement.ts';
import type { CriteriaWire } from './schema.ts';

const table = readTable(NO_TABLE);
const answer = typedAnswer('sin \\theta + \\frac{1}{2} \\beta is glucose');
const requestOf = (question: Partial<JudgeRequest['question']>): JudgeRequest => ({
  exam,
  question: longQuestion(question),
  answer,
});
const award = (criterion: number, awarded: number, more: Partial<CriteriaWire['criteria'][number]> = {}) => ({
  criterion,
  evidence: 'glucose',
  reason: 'It is there.',
  awarded,
  certainty: 'certain' as const,
  ...more,
});
/** What becomes of a reply, by the way that a grader's takes: text, schema, settling, judgement. */
const settled = (request: JudgeRequest, criteria: object[], feedback = 'Good.') => {
  const call = judgeByCriteriaCall(request, 'first', table);
  const { value, problems } = call.settle(readStrict(call.schema, JSON.stringify({ criteria, feedback })));
  return { ...judgementOf(request, value, null, table), problems };
};

describe('3.17 arithmetic is code’s', () => {
  test.each([
    ['off', false, [0, 1], ['low_confidence', 'marks_adjusted']],
    ['on', true, [1, 1], []],
    ['not spoken of', null, [1, 1], []],
  ])(
    'with partial marking %s half of a criterion is worth what the rubric says',
    (_, partialMarking, marks, reasons) => {
      const judgement = settled(requestOf({ partialMarking }), [award(1, 1), award(2, 1)]);
      expect(judgement.criteria.map(({ awarded }) => awarded)).toEqual(marks);
      expect(judgement.reviewReasons).toEqual(reasons);
    },
  );

  test('criteria that add up to more than the question never earn more than the question, and a teacher looks', () => {
    const criteria = [4, 4].map((marks, at) => ({ name: `c${at}`, marks, keywords: [], guidance: null }));
    const judgement = settled(requestOf({ maxMarks: 5, criteria }), [award(1, 4), award(2, 4)]);
    expect(judgement.awarded).toBe(5);
    expect(judgement.reviewReasons).toContain('marks_adjusted');
    expect(judgement.problems).toEqual(['8 of 5 became 5']);
  });

  test.each([
    ['a string', '"1"'],
    ['null', 'null'],
    ['beyond what a number can hold', '1e999'],
    ['not JSON', 'NaN'],
    ['missing', '{}'],
  ])('a mark that is %s is no mark', (_, json) => {
    const call = judgeByCriteriaCall(requestOf({}), 'first', table);
    const reply = JSON.stringify({ criteria: [award(1, 0), award(2, 0)], feedback: 'x' });
    expect(() => readStrict(call.schema, reply.replace('"awarded":0', `"awarded":${json}`))).toThrow(
      MalformedOutput,
    );
  });

  test('whatever numbers a model gives, marks stay within 0 and the question’s, in half steps', () => {
    const awards = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 2,
      maxLength: 2,
    });
    fc.assert(
      fc.property(awards, ([first = 0, second = 0]) => {
        const { awarded, criteria } = settled(requestOf({}), [award(1, first), award(2, second)]);
        expect(awarded).toBeGreaterThanOrEqual(0);
        expect(awarded).toBeLessThanOrEqual(3);
        for (const each of criteria) expect(Number.isInteger(each.awarded * 2)).toBe(true);
      }),
    );
  });
});

describe('LaTeX that lost its backslashes to JSON', () => {
  test.each([
    ['\f of a fraction', '\frac{1}{2}', '\\frac{1}{2}'],
    ['\\b of a Greek letter', '\beta is', '\\beta is'],
    ['\\t of a Greek letter', 'sin \theta', 'sin \\theta'],
  ])('is found in the answer all the same: %s', (_, evidence, kept) => {
    const judgement = settled(requestOf({}), [award(1, 2, { evidence }), award(2, 1)]);
    expect(judgement.criteria[0]?.evidence).toBe(kept);
    expect(judgement.reviewReasons).toEqual([]);
  });

  test('is put back into reason and feedback where it cannot have been meant otherwise', () => {
    const judgement = settled(
      requestOf({}),
      [award(1, 2, { reason: 'It has \frac{1}{2}.' }), award(2, 1)],
      'See \beta.\tGood.',
    );
    expect(judgement.criteria[0]?.reason).toBe('It has \\frac{1}{2}.');
    expect(judgement.feedback).toBe('See \\beta.\tGood.');
  });
});
