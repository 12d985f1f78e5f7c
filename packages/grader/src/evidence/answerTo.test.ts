import { describe, expect, test } from 'vitest';
import { answerTo } from './answerTo.ts';
import { beyondLabel, endsInChoice } from './beyondLabel.ts';
import { gradedQuestion, withoutJudging } from './questionOutcome.ts';
import { markedQuestion } from '../../test/markedQuestion.ts';
import type { MarkedQuestion, PageReading } from '@evaluation/rules/grading-model';

const box = { x: 0, y: 0, width: 1, height: 1 };
const page = (number: number, texts: string[]): PageReading => ({
  page: number,
  legibility: 0.9,
  language: 'en',
  blocks: texts.map((text) => ({ label: null, continues: false, text, crossedOut: false, box })),
});
const allOf = (pages: PageReading[]) => ({
  pages,
  alignment: [
    {
      number: 1,
      blocks: pages.flatMap(({ page: number, blocks }) =>
        blocks.map((_, block) => ({ page: number, block })),
      ),
    },
  ],
});
const question = markedQuestion('1', { text: 'Why?', model_answer: 'Because.' });
const judgement = {
  awarded: 1,
  criteria: [],
  feedback: '',
  confidence: 0.9,
  reviewReasons: [],
  annotations: [],
};

test('an answer over several pages is whole and has no review reason', () => {
  const answer = answerTo(1, allOf([page(1, ['Plants', 'make']), page(2, ['glucose.'])]), question);
  expect(answer).toMatchObject({ text: 'Plants\nmake\nglucose.', legibility: 0.9 });
  expect(answer.blocks).toHaveLength(3);
  expect(gradedQuestion(question, answer, judgement)).toMatchObject({
    needs_review: false,
    review_reasons: [],
  });
});

test('an alignment that gives the whole copy to one question: the answer is cut and flagged', () => {
  const pages = Array.from({ length: 80 }, (_, index) =>
    page(index + 1, ['a'.repeat(15_000), 'b'.repeat(15_000)]),
  );
  const answer = answerTo(1, allOf(pages), question);
  expect(answer.text.length).toBeLessThanOrEqual(60_000);
  expect(answer.text.length).toBeGreaterThan(40_000);
  expect(answer.text).toBe(answer.blocks.map(({ text }) => text).join('\n'));
  expect(gradedQuestion(question, answer, judgement)).toMatchObject({
    needs_review: true,
    review_reasons: ['answer_cut'],
  });
});

describe('a reader that took an answer for a label', () => {
  const choice: MarkedQuestion = {
    ...question,
    label: '3',
    type: 'mcq_single',
    options: [
      { label: 'A', text: 'One' },
      { label: 'B', text: 'Two' },
    ],
    correct_options: ['B'],
  };
  /** Blocks of the answer, on one page: label and text. */
  const written = (...blocks: [label: string | null, text: string][]): PageReading => {
    const [first] = page(1, ['']).blocks;
    if (first === undefined) throw new Error('no block');
    return { ...page(1, []), blocks: blocks.map(([label, text]) => ({ ...first, label, text })) };
  };
  const answered = (asked: MarkedQuestion, ...blocks: [label: string | null, text: string][]) =>
    answerTo(1, allOf([written(...blocks)]), asked);

  test('the choice in the label is the answer and is judged', () => {
    const answer = answered(choice, ['3 (b)', '']);
    expect(answer).toMatchObject({ text: '(b)', legibility: 0.9, blocks: [{ page: 1, text: '(b)' }] });
    expect(answer.isUnclear).toBeUndefined();
    expect(withoutJudging(choice, answer, [])).toBeNull();
    // The reason stands on separate lines.
    expect(answered(choice, ['Q3) B', ''], [null, 'since two is more']).text).toBe('B\nsince two is more');
    // The text is not joined with its label.
    expect(answered(choice, ['3 (b)', '(a)']).text).toBe('(a)');
  });

  test.each<[string, MarkedQuestion, string]>([
    ['the label of the question alone', choice, 'Q.3'],
    ['a label of a continuation', choice, '3 (contd.)'],
    ['the label of another question', choice, '13 (b)'],
    ['a question without options', { ...choice, type: 'one_word' }, '3) insulin'],
    ['a long question', question, 'Ans 1'],
  ])('a label without writing (%s) needs a teacher, because it may be the answer', (_, asked, label) => {
    const answer = answered(asked, [label, ' ']);
    expect(withoutJudging(asked, answer, [])).toMatchObject({
      status: 'not_answered',
      awarded: 0,
      needs_review: true,
      review_reasons: ['unclear_answer'],
      extracted_answer: null,
    });
  });

  describe('the answer on a line of another answer', () => {
    const held = (text: string) =>
      answerTo(
        2,
        { pages: [page(1, [text])], alignment: [{ number: 1, blocks: [{ page: 1, block: 0 }] }] },
        { ...question, label: '2' },
      );

    test.each(['B\n2.42', 'B\nQ.2) 42', 'B\nAns 2: no. 2) 42\n3. Paris'])('%j needs a teacher', (text) => {
      const answer = held(text);
      expect(answer.text).toBe('');
      expect(withoutJudging(question, answer, [])?.review_reasons).toEqual(['unclear_answer']);
    });

    test.each([
      ['a list', 'Plants need:\n1. light\n2. water'],
      ['a number without a mark after it', 'They have\n2 leaves'],
      ['a longer number', 'It weighs\n12.5 g\n21. May'],
      ['the first line', '2.5 g'],
    ])('%s is no answer to question 2', (_, text) => {
      expect(withoutJudging(question, held(text), [])?.review_reasons).toEqual([]);
    });
  });

  test('a question without an answer needs a teacher when the copy has lost writing', () => {
    const lost = ['unassigned_writing'];
    const nothing = answerTo(1, allOf([written()]), choice);
    expect(withoutJudging(choice, nothing, lost)).toMatchObject({
      status: 'not_answered',
      awarded: 0,
      needs_review: true,
      review_reasons: lost,
    });
    const label = answered(choice, ['Q.3', ' ']);
    expect(withoutJudging(choice, label, lost)?.review_reasons).toEqual(['unclear_answer', ...lost]);
    expect(withoutJudging(choice, answered(choice, ['3 (b)', '']), lost)).toBeNull();
  });

  test('struck-out or missing writing is not an answer and gives no review reason', () => {
    const struck = written(['3 (b)', '']);
    for (const block of struck.blocks) block.crossedOut = true;
    for (const found of [struck, written([null, '']), written()]) {
      expect(withoutJudging(choice, answerTo(1, allOf([found]), choice), [])).toMatchObject({
        status: 'not_answered',
        needs_review: false,
        review_reasons: [],
        extracted_answer: null,
      });
    }
  });

  test.each([
    ['3 (b)', '3', '(b)'],
    ['3b', '3', 'b'],
    ['3. B', 'Q3', 'B'],
    ['Q.No. 3) - (c)', '3', '(c)'],
    ['Ans to 3: a and d', 'Q. 3', 'a and d'],
    ['2 (a) C', '2(a)', 'C'],
    ['2 a) (iv)', '2a', '(iv)'],
    ['1.4', '1', '4'],
    ['3', '3', ''],
    ['31 (b)', '3', ''],
    ['3 (b)', '31', ''],
    ['(b)', '3', ''],
    ['2 (ab) C', '2(a)', ''],
    ['Section B', 'B', ''],
    ['3 [continued]', '3', ''],
    ['3 (b)', '?', ''],
  ])('label %j of question %j has the rest %j', (label, own, beyond) => {
    expect(beyondLabel(label, own)).toBe(beyond);
  });

  test('a label that ends in a choice is distinguished from a heading', () => {
    for (const label of ['3 (b)', '3. B', '3b', 'Q.12 - d)', 'Ans 4: (a).'])
      expect(endsInChoice(label)).toBe(true);
    for (const label of ['3', 'Q.3', 'Section B', 'Part A', 'Ans', '3 (contd.)', 'B', ''])
      expect(endsInChoice(label)).toBe(false);
  });
});
