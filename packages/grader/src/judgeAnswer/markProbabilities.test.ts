import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReplyToken } from '../modelCall.ts';
import { markProbabilitiesIn, weighMarks } from './markProbabilities.ts';

/** A reply with one token for each piece, each certain unless given another probability. */
const replyTokens = (
  pieces: readonly string[],
  doubts: Record<number, { probability: number; others: Record<string, number> }> = {},
): { reply: string; tokens: ReplyToken[] } => ({
  reply: pieces.join(''),
  tokens: pieces.map((text, index) => ({
    bytes: Buffer.from(text),
    probability: doubts[index]?.probability ?? 1,
    others: Object.entries(doubts[index]?.others ?? {}).map(([other, probability]) => ({
      text: other,
      probability,
    })),
  })),
});
const pieces = (...marks: string[]) => ['{"criterion_1":{"awarded":', ...marks, ',"x":"1"}}'];
const weighed = ({ reply, tokens }: { reply: string; tokens: ReplyToken[] }, criteria = 1) =>
  weighMarks(criteria, reply, tokens)['mark_probabilities'];

describe('the probability of a mark', () => {
  test.each<[string, Parameters<typeof replyTokens>, string]>([
    ['is that of its token', [pieces('1'), { 1: { probability: 0.75, others: { 0: 0.25 } } }], '0.75'],
    [
      'counts alternatives that write the same number in another way',
      [pieces(' 1'), { 1: { probability: 0.5, others: { '1': 0.25, ' 2': 0.25 } } }],
      '0.75',
    ],
    [
      'leaves out alternatives that are no number',
      [pieces('1'), { 1: { probability: 0.6, others: { '"': 0.2, null: 0.1, 2: 0.2 } } }],
      '0.75',
    ],
    [
      'is lowered if the number might have continued',
      [pieces('1'), { 2: { probability: 0.5, others: { '.': 0.5 } } }],
      '0.5',
    ],
    [
      'is not lowered by another character after it',
      [pieces('1'), { 2: { probability: 0.5, others: { '}': 0.3, '\n': 0.2 } } }],
      '1',
    ],
    [
      'multiplies over the tokens of a number',
      [
        pieces('1', '.', '5'),
        {
          1: { probability: 0.5, others: { 2: 0.5 } },
          2: { probability: 0.5, others: { ',': 0.5 } },
        },
      ],
      '0.25',
    ],
    [
      'treats a longer number as another number',
      [pieces('1'), { 1: { probability: 0.75, others: { 10: 0.25 } } }],
      '0.75',
    ],
  ])('%s', (_, [all, doubts], expected) => {
    expect(weighed(replyTokens(all, doubts))).toBe(expected);
  });

  test('is found by its key and not in other text of a reply', () => {
    const reply =
      '{"criterion_1":{"evidence":"\\"awarded\\": 9, \\"criterion_2\\": {\\"awarded\\": 9}","awarded":2},"feedback":"awarded:1"}';
    const at = reply.lastIndexOf('2}');
    const all = [reply.slice(0, at), '2', reply.slice(at + 1)];
    expect(weighed(replyTokens(all, { 1: { probability: 0.9, others: { 1: 0.1 } } }), 2)).toBe('0.9,');
  });

  test('is found after reasoning and before an end sign, with tokens cut within characters', () => {
    const text = '{"criterion_1":{"reason":"½ ≥ ₹","awarded":1.5}}';
    const bytes = Buffer.from(text);
    const tokens = ['<think>1</think>', ...bytes.values(), '<|end|>'].map((each) => ({
      bytes: typeof each === 'number' ? Buffer.from([each]) : Buffer.from(each),
      probability: 1,
      others: [],
    }));
    expect(weighed({ reply: text, tokens })).toBe('1');
  });

  test('is found in the tokens of a real tokenizer', () => {
    const reply = JSON.stringify({
      criterion_1: { evidence: 'glucose', reason: 'Der Zucker – ½ 🎉', awarded: 1.5, certainty: 'likely' },
      criterion_2: { evidence: null, reason: 'No.', awarded: 0, certainty: 'certain' },
      feedback: 'Good.',
    });
    const tokens = encode(reply).map((id) => decode([id]));
    // A token with a part of a character shows a replacement character and has bytes.
    const whole = replyTokens(tokens.join('') === reply ? tokens : [reply]);
    expect(weighed(whole, 2)).toBe('1,1');
  });

  test.each<[string, Parameters<typeof weighMarks>]>([
    ['tokens of another reply', [1, '{"criterion_1":{"awarded":1}}', replyTokens(['{"a":1}']).tokens]],
    ['no tokens', [1, '{"criterion_1":{"awarded":1}}', []]],
    ['a reply that is not JSON by itself', [1, '```\n{}\n```', replyTokens(['```\n{}\n```']).tokens]],
    [
      'a criterion that is given twice',
      [
        1,
        '{"criterion_1":{"awarded":1},"criterion_1":{"awarded":2}}',
        replyTokens(['{"criterion_1":{"awarded":1},"criterion_1":{"awarded":2}}']).tokens,
      ],
    ],
    [
      'a token with probability 0',
      [
        1,
        '{"criterion_1":{"awarded":1}}',
        [{ bytes: Buffer.from('{"criterion_1":{"awarded":1}}'), probability: 0, others: [] }],
      ],
    ],
  ])('is unknown for %s', (_, asked) => {
    expect(weighMarks(...asked)).toEqual({});
  });

  test('any output of an endpoint gives a number from 0 to 1, which survives storage', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const other = fc.record({
      text: fc.oneof(fc.string(), fc.constantFrom('1', '.', ',', ' 2', '0.5')),
      probability: share,
    });
    const marks = fc.constantFrom('0', '0.5', '1', '1.5', '10', '1e0', '-1');
    fc.assert(
      fc.property(
        marks,
        fc.array(share, { minLength: 3, maxLength: 3 }),
        fc.array(other),
        (mark, shares, others) => {
          const all = replyTokens(pieces(mark));
          const tokens = all.tokens.map((token, index) => ({
            ...token,
            probability: shares[index] ?? 0,
            others,
          }));
          const settings = weighMarks(1, all.reply, tokens);
          const [probability] = markProbabilitiesIn(settings, 1) ?? [null];
          if (probability === null || probability === undefined) return;
          expect(probability).toBeGreaterThanOrEqual(0);
          expect(probability).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test.each(['', '2', '0.5,0.5', '0.12345', '-1', '1e0', 'NaN', 5, true])(
    'evidence with %j for three criteria is refused',
    (kept) => {
      expect(() => markProbabilitiesIn({ mark_probabilities: kept }, 3)).toThrow('probabilities of marks');
    },
  );
});
