import { describe, expect, test } from 'vitest';
import {
  chooseNext,
  fitGuide,
  identicalGroups,
  leaveOneOut,
  lowerBoundOf,
  nearestExamples,
  passing,
  predict,
  scaleOf,
} from './index.ts';

const marks = { maxMarks: 4, step: 0.5 };
const fit = (examples: Parameters<typeof fitGuide>[0]) => fitGuide(examples, marks.maxMarks);
const example = (id: string, text: string, teacherShare: number, graderShare = 0.5) => ({
  id,
  text,
  graderShare,
  teacherShare,
});

describe('a guide learns', () => {
  test('the severity of the grader from a few marks', () => {
    const guide = fit(
      ['water leaves', 'salt enters', 'cells shrink', 'walls hold', 'ions move'].map((text, index) =>
        example(String(index), text, 0.75, 0.25),
      ),
    );
    const { share } = predict(guide, { text: 'something else entirely', graderShare: 0.25 }, marks);
    expect(share).toBeGreaterThan(0.6);
  });

  test('which content earns marks', () => {
    const guide = fit([
      example('a', 'Water moves by osmosis', 1),
      example('b', 'Osmosis moves the water', 1),
      example('c', 'The plant is green', 0),
      example('d', 'Green plants', 0),
    ]);
    const right = predict(guide, { text: 'osmosis of water', graderShare: 0.5 }, marks);
    const wrong = predict(guide, { text: 'a green plant', graderShare: 0.5 }, marks);
    expect(right.marks - wrong.marks).toBeGreaterThanOrEqual(1);
  });

  test('and is surer of answers like those that it knows', () => {
    const guide = fit([example('a', 'Water moves by osmosis', 1), example('b', 'It is green', 0)]);
    const known = predict(guide, { text: 'water moves by osmosis', graderShare: 0.5 }, marks);
    const unknown = predict(guide, { text: 'xylem', graderShare: 0.5 }, marks);
    expect(known.spread).toBeLessThan(unknown.spread);
    expect(known.agreement).toBeGreaterThan(unknown.agreement);
  });
});

test('a wider tolerance gives a higher probability of agreement, and the whole range gives 1', () => {
  const guide = fit([]);
  const at = (tolerance: number) =>
    predict(guide, { text: 'x', graderShare: 0.5 }, { ...marks, tolerance }).agreement;
  expect(at(1)).toBeGreaterThan(at(0.5));
  expect(at(4)).toBe(1);
});

describe('on a question of one mark', () => {
  const taught = (...teacher: number[]) =>
    fitGuide(
      teacher.map((teacherShare, index) => example(String(index), `answer ${index}`, teacherShare)),
      1,
    );

  test('half a mark is not sure to agree', () => {
    const guide = taught(0, 0.5, 1);
    const scale = scaleOf(guide.model);
    expect(scale).toEqual({ maxMarks: 1, step: 0.5, tolerance: 0 });
    const found = predict(guide, { text: 'unknown', graderShare: 0.5 }, scale);
    expect(found.marks).toBe(0.5);
    expect(found.agreement).toBeLessThan(0.6);
  });

  test('a teacher who gives all or nothing is predicted to do so', () => {
    const guide = taught(0, 1, 0, 1, 1);
    expect(scaleOf(guide.model)).toEqual({ maxMarks: 1, step: 1, tolerance: 0 });
    for (const { marks: predicted } of leaveOneOut(guide, scaleOf(guide.model))) {
      expect([0, 1]).toContain(predicted);
    }
  });
});

test('the nearest examples come first, and unlike ones are left out', () => {
  const guide = fit([
    example('far', 'salt', 1),
    example('near', 'water moves', 1),
    example('same', 'Water moves!', 1),
  ]);
  const found = nearestExamples(guide, 'water moves', 5);
  expect(found.map(({ id }) => id)).toEqual(['near', 'same']);
  expect(nearestExamples(guide, 'water', 1)).toHaveLength(1);
});

test('the first choice represents the most answers, the next one other answers', () => {
  const candidates = [
    { id: '1', text: 'water moves by osmosis' },
    { id: '2', text: 'water moves by osmosis' },
    { id: '3', text: 'water moves by osmosis now' },
    { id: '4', text: 'green leaf' },
  ];
  const [first, second] = chooseNext([], candidates, 2);
  expect(['1', '2', '3']).toContain(first);
  expect(second).toBe('4');
});

describe('answers that say the same', () => {
  const answers = [
    { id: '1', text: 'The Water evaporates.' },
    { id: '2', text: 'the water evaporates' },
    { id: '3', text: 'Water evaporated' },
    { id: '4', text: 'Water does not evaporate' },
    { id: '5', text: '' },
    { id: '6', text: ' ' },
  ];

  test('form a group if they differ in case, punctuation and spaces only', () => {
    expect(identicalGroups(answers)).toEqual([['1', '2']]);
  });

  test('form a looser group by their content words; a negation is content', () => {
    expect(identicalGroups(answers, 'content')).toEqual([['1', '2', '3']]);
  });
});

describe('what may pass without review', () => {
  const pairs = (agreed: number, all: number, agreement: number) =>
    Array.from({ length: all }, (_, index) => ({ agreement, agreed: index < agreed }));

  test.each([
    [30, 30, 0.9, 0.9261],
    [57, 60, 0.9, 0.8918],
    [0, 10, 0.9, 0],
    [10, 10, 0.95, 0.7411],
  ])('%i of %i at %f: the Clopper–Pearson bound is %f', (successes, trials, certainty, bound) => {
    expect(lowerBoundOf(successes, trials, certainty)).toBeCloseTo(bound, 3);
  });

  test('nothing below 30 examples', () => {
    expect(passing({ pairs: pairs(29, 29, 0.99), target: 0.5 })).toMatchObject({ threshold: null, share: 0 });
  });

  test('the surest part, if it reaches the target and the rest does not', () => {
    const found = passing({ pairs: [...pairs(60, 60, 0.98), ...pairs(10, 40, 0.4)], target: 0.95 });
    expect(found).toMatchObject({ threshold: 0.98, share: 0.6, agreement: 1, examples: 100 });
  });

  test('nothing if no part is sure enough', () => {
    expect(passing({ pairs: pairs(40, 60, 0.9), target: 0.95 }).threshold).toBeNull();
  });

  test('eight thousand pairs are searched in less than a second of CPU', () => {
    const many = Array.from({ length: 8000 }, (_, index) => ({
      agreement: 1 - index / 8000,
      agreed: index % 40 > index / 2000,
    }));
    const started = process.cpuUsage();
    expect(passing({ pairs: many, target: 0.95 }).lowerBound).toBeGreaterThanOrEqual(0.95);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(1);
  });

  test('all pairs of one probability pass together', () => {
    expect(passing({ pairs: pairs(60, 100, 0.9), target: 0.9 }).threshold).toBeNull();
  });
});
