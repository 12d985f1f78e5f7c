import { describe, expect, test } from 'vitest';
import { NO_TABLE, readTable } from '../confidenceTable.ts';
import type { JudgeRequest } from '../grader.ts';
import { exam, longQuestion, typedAnswer, writtenAnswer } from '../../test/requests.ts';
import { MalformedOutput, readStrict } from '../strictSchema.ts';
import { judgeByCriteriaCall, readObjectiveCall } from './judgeAnswer.ts';
import { judgementOf } from './judgement.ts';
import { objectiveKey } from './objective.ts';
import type { CriteriaWire } from './schema.ts';

const table = readTable(NO_TABLE);
const answer = typedAnswer('sin \\theta + \\frac{1}{2} \\beta is glucose');
const requestOf = (question: Partial<JudgeRequest['question']>): JudgeRequest => ({
  exam,
  question: longQuestion(question),
  answer,
});
type Awards = Record<string, Omit<CriteriaWire['criteria'][number], 'criterion'>>;
const award = (
  criterion: number,
  awarded: number,
  more: Partial<CriteriaWire['criteria'][number]> = {},
): Awards => ({
  [`criterion_${criterion}`]: {
    evidence: 'glucose',
    reason: 'It is there.',
    awarded,
    certainty: 'certain',
    ...more,
  },
});
/** Takes a reply through the steps of the grader: text, schema, settling, judgement. */
const settled = (request: JudgeRequest, awards: Awards[], feedback = 'Good.') => {
  const call = judgeByCriteriaCall(request, 'first', table);
  const { value, problems } = call.settle(
    readStrict(
      call.schema,
      JSON.stringify({ ...Object.assign({}, ...awards), addresses_grader: false, feedback }),
    ),
  );
  return { ...judgementOf(request, value, null, table), problems };
};

describe('sums of marks are computed by code', () => {
  test.each([
    ['off', false, [0, 1], ['low_confidence', 'marks_adjusted']],
    ['on', true, [1, 1], []],
    ['not set', null, [1, 1], []],
  ])(
    'half of a criterion earns its marks unless partial marking is off (%s)',
    (_, partialMarking, marks, reasons) => {
      const judgement = settled(requestOf({ partialMarking }), [award(1, 1), award(2, 1)]);
      expect(judgement.criteria.map(({ awarded }) => awarded)).toEqual(marks);
      expect(judgement.reviewReasons).toEqual(reasons);
    },
  );

  test('criteria that add up to more than the question earn the question’s marks at most, and a teacher is asked', () => {
    const criteria = [4, 4].map((marks, at) => ({ name: `c${at}`, marks, keywords: [], guidance: null }));
    const judgement = settled(requestOf({ maxMarks: 5, criteria }), [award(1, 4), award(2, 4)]);
    expect(judgement.awarded).toBe(5);
    expect(judgement.reviewReasons).toContain('marks_adjusted');
    expect(judgement.problems).toEqual(['8 of 5 became 5']);
  });

  test.each([
    ['null', 'null'],
    ['beyond what a number can hold', '1e999'],
    ['not JSON', 'NaN'],
    ['missing', '{}'],
  ])('a mark that is %s is malformed', (_, json) => {
    const call = judgeByCriteriaCall(requestOf({}), 'first', table);
    const reply = JSON.stringify({ ...award(1, 0), ...award(2, 0), addresses_grader: false, feedback: 'x' });
    expect(() => readStrict(call.schema, reply.replace('"awarded":0', `"awarded":${json}`))).toThrow(
      MalformedOutput,
    );
  });
});

describe('LaTeX that lost its backslashes in JSON', () => {
  test.each([
    ['\f of a fraction', '\frac{1}{2}', '\\frac{1}{2}'],
    ['\\b of a Greek letter', '\beta is', '\\beta is'],
    ['\\t of a Greek letter', 'sin \theta', 'sin \\theta'],
  ])('is found in the answer and restored: %s', (_, evidence, kept) => {
    const judgement = settled(requestOf({}), [award(1, 2, { evidence }), award(2, 1)]);
    expect(judgement.criteria[0]?.evidence).toBe(kept);
    expect(judgement.reviewReasons).toEqual([]);
  });

  test('is restored in reason and feedback if it has no other meaning', () => {
    const judgement = settled(
      requestOf({}),
      [award(1, 2, { reason: 'It has \frac{1}{2}.' }), award(2, 1)],
      'See \beta.\tGood.',
    );
    expect(judgement.criteria[0]?.reason).toBe('It has \\frac{1}{2}.');
    expect(judgement.feedback).toBe('See \\beta.\tGood.');
  });
});

describe('a value read on a copy is compared with the key', () => {
  const read = (type: 'numeric' | 'one_word', key: number | string, value: string, more: object = {}) => {
    const question = longQuestion({ type, answer: key, maxMarks: 2, criteria: [], modelAnswer: null });
    const request: JudgeRequest = { exam, question, answer: writtenAnswer(value) };
    const objective = objectiveKey(question);
    if (objective === null) throw new Error('no key');
    const call = readObjectiveCall(request, objective, table);
    const wire = {
      status: 'answered',
      option_labels: [],
      value,
      evidence: value,
      certainty: 'certain',
      feedback_if_right: 'Right.',
      feedback_if_wrong: 'Wrong.',
      addresses_grader: false,
      ...more,
    };
    return call.settle(readStrict(call.schema, JSON.stringify(wire))).value;
  };

  test.each<['numeric' | 'one_word', number | string, string]>([
    ['numeric', 42, '$42$'],
    ['one_word', 'H2O', '$H_2O$'],
    ['one_word', 'Photosynthesis', 'Photosynthesis.'],
  ])(
    '%s %s, transcribed as %s, is right without a review reason; the reading is shown unchanged',
    (type, key, value) => {
      expect(read(type, key, value)).toMatchObject({
        awarded: 2,
        feedback: 'Right.',
        confidence: 0.95,
        reviewReasons: [],
        criteria: [{ reason: `Read as: ${value}` }],
      });
    },
  );

  test.each<['numeric' | 'one_word', number | string, string]>([
    ['numeric', 50, '50%'],
    ['one_word', 'co-operate', 'cooperate'],
  ])(
    '%s %s, transcribed as %s, earns 0 until a teacher decides, even if the reader is certain',
    (type, key, value) => {
      expect(read(type, key, value)).toMatchObject({
        awarded: 0,
        confidence: 0.4,
        reviewReasons: ['low_confidence', 'unclear_value'],
      });
    },
  );

  test.each<['numeric' | 'one_word', number | string, string]>([
    ['numeric', 42, '$43$'],
    ['one_word', 'Delhi', 'Mumbai.'],
  ])('%s %s, transcribed as %s, is wrong without a doubt', (type, key, value) => {
    expect(read(type, key, value)).toMatchObject({ awarded: 0, confidence: 0.95, reviewReasons: [] });
  });

  test('a value that lost its backslashes in JSON is restored', () => {
    expect(read('numeric', 0.5, '\frac{1}{2}').awarded).toBe(2);
    expect(read('numeric', 3e8, '3 \times 10^8').awarded).toBe(2);
    expect(read('numeric', 42, '\text{42}').awarded).toBe(2);
    expect(read('one_word', 'New Delhi', 'new\tdelhi').awarded).toBe(2);
  });

  test('a reading without a quotation lowers confidence equally when it is wrong and when it is right', () => {
    for (const [value, awarded] of [
      ['42', 2],
      ['43', 0],
    ] as const) {
      expect(read('numeric', 42, value, { evidence: null })).toMatchObject({ awarded, confidence: 0.67 });
    }
  });
});
