import { describe, expect, test } from 'vitest';
import { alternativesIn } from './modelAnswer.ts';

const textsOf = (modelAnswer: string) => alternativesIn(modelAnswer, 2).map(({ text }) => text);
const pointsOf = (modelAnswer: string, maxMarks = 2) => alternativesIn(modelAnswer, maxMarks)[0]?.points;

describe('alternatives of a model answer', () => {
  test.each([
    ['The President OR the Congress', ['The President', 'the Congress']],
    [
      'They are apart\nor: they have a gap\nor: they differ',
      ['They are apart', 'they have a gap', 'they differ'],
    ],
    ['It melts.\nOR\nIt turns to water.', ['It melts.', 'It turns to water.']],
    ['free speech / the right to speak', ['free speech', 'the right to speak']],
    ['harmful', ['harmful']],
    ['', []],
  ])('%j', (modelAnswer, alternatives) => {
    expect(textsOf(modelAnswer)).toEqual(alternatives);
  });

  test.each([
    'The blue or the green wire carries the current.',
    'The wire carries the current\nor the charge of the cell.',
    'Speed is distance / time. It is measured in metres per second.',
    'I = V/R',
    'The speed of a car that moves at the same rate / the time that it needs for its way',
  ])('one answer: %j', (modelAnswer) => {
    expect(textsOf(modelAnswer)).toEqual([modelAnswer]);
  });
});

describe('points of a list', () => {
  test.each([
    ['- red\n- green\n- blue', ['red', 'green', 'blue']],
    ['1. red\n2. green\n(c) blue', ['red', 'green', 'blue']],
    ['Any two of the colours:\n• red\n• green\n• blue', ['red', 'green', 'blue']],
    ['red light; green light; blue light', ['red light', 'green light', 'blue light']],
    [
      'red light\nthat is warm\nGreen light\nBlue light',
      ['red light that is warm', 'Green light', 'Blue light'],
    ],
  ])('%j', (modelAnswer, points) => {
    expect(pointsOf(modelAnswer)).toEqual(points);
  });

  test.each([
    ['as many points as marks', 'red\ngreen'],
    ['two sentences in a line', 'The water is gone; the salt stays.'],
    ['prose', 'Red is warm. Green is calm. Blue is cold.'],
    ['prose that was wrapped', 'The light is\nred and it is\nwarm and it is\nbright.'],
    ['a decimal number', '3.5 metres'],
  ])('none: %s', (_, modelAnswer) => {
    expect(pointsOf(modelAnswer)).toBeNull();
  });
});

describe('a scale of scores is no part of the model answer', () => {
  test.each([
    ['Score 2: complete\nScore 1: in part\nScore 0: other\nThe vinegar fizzes.', 'The vinegar fizzes.'],
    ['The vinegar fizzes.\nRubric:\n2 points: both\n1 point: one', 'The vinegar fizzes.'],
    ['The vinegar fizzes.\n2 - both elements\n1 - one element\n0 - other', 'The vinegar fizzes.'],
  ])('%j', (modelAnswer, kept) => {
    expect(textsOf(modelAnswer)).toEqual([kept]);
  });

  test('one mark for each of several points is a list', () => {
    expect(pointsOf('1 mark: red\n1 mark: green\n1 mark: blue')).toHaveLength(3);
  });

  test('a model answer that is nothing but a scale is kept', () => {
    expect(textsOf('Score 2: names the cell\nScore 1: names the tissue')).toHaveLength(1);
  });
});
