import { expect, test } from 'vitest';
import { learn, type LearnableAnswer } from './learn.ts';

/** Answers to a question: those about osmosis are worth full marks, and the grader gives half to all. */
const answersTo = (questionId: string, count: number, from: number, maxMarks = 2): LearnableAnswer[] =>
  Array.from({ length: count }, (_, index) => ({
    questionId,
    maxMarks,
    human: index % 2 === 0 ? maxMarks : 0,
    second: null,
    machine: maxMarks / 2,
    group: null,
    confidence: 0.3,
    rawConfidence: 0.3,
    line: from + index,
    id: null,
    text: index % 2 === 0 ? `water moves by osmosis ${index}` : `green plants need light ${index}`,
  }));

const plan = { marked: [0, 5, 10], chosen: false, target: 0.8 };

test('marks raise the kappa of the answers that were not marked', () => {
  const [none, five, ten] = learn([...answersTo('A', 40, 1), ...answersTo('B', 40, 101)], plan);
  expect(none?.rest).toMatchObject({ n: 80, qwk: { value: 0 } });
  expect(five?.rest.n).toBe(70);
  expect(ten?.rest.qwk.value).toBeGreaterThan(0.9);
  expect(ten?.class.qwk.value).toBeGreaterThanOrEqual(ten?.rest.qwk.value ?? 1);
  expect(Math.abs(ten?.rest.smd ?? 1)).toBeLessThan(0.1);
});

test('the same answers give the same figures', () => {
  const answers = answersTo('A', 20, 1);
  expect(learn(answers, plan)).toEqual(learn(answers, plan));
});

test('chosen answers teach at least one of each kind', () => {
  const [two] = learn(answersTo('A', 40, 1), { marked: [2], chosen: true, target: 0.8 });
  expect(two).toMatchObject({ marked: 2, chosen: true, rest: { n: 38 } });
  expect(two?.rest.qwk.value).toBeGreaterThan(0.5);
});

test('a question with fewer answers than marks is marked as a whole', () => {
  const [found] = learn([...answersTo('A', 3, 1), ...answersTo('B', 12, 101)], { ...plan, marked: [10] });
  expect(found?.rest.n).toBe(2);
  const [all] = learn(answersTo('A', 3, 1), { ...plan, marked: [10] });
  expect(all).toMatchObject({
    rest: { n: 0, qwk: { value: null }, smd: null },
    class: { qwk: { value: 1 } },
  });
  expect(all?.passed).toEqual({ target: 0.8, share: 0, agreement: null });
});

test('blank answers are never marked by the teacher and keep the mark 0', () => {
  const blank = answersTo('A', 10, 1).map((answer) => ({ ...answer, text: ' ', machine: 0, human: 0 }));
  const [found] = learn([...blank, ...answersTo('A', 10, 101)], { ...plan, marked: [10] });
  expect(found?.rest.n).toBe(10);
});

test('what passes is counted with its agreement, and nothing passes below 30 marks', () => {
  const answers = ['A', 'B', 'C', 'D'].flatMap((id, index) => answersTo(id, 40, index * 100));
  const [five, ten] = learn(answers, { marked: [5, 10], chosen: false, target: 0.8 });
  expect(five?.passed.share).toBe(0);
  expect(ten?.passed.share).toBeGreaterThan(0.5);
  expect(ten?.passed.agreement).toBeGreaterThan(0.8);
});

test.each([0.5, 1, 21.5])('questions of %f marks are learned', (maxMarks) => {
  const [found] = learn(answersTo('A', 30, 1, maxMarks), { ...plan, marked: [10] });
  expect(found?.rest.qwk.value).toBeGreaterThan(0.8);
});
