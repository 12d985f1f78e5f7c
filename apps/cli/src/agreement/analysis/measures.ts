import {
  correlationOf,
  isAdjacent,
  isExact,
  kappaOf,
  momentsOf,
  quadraticWeightedKappa,
  standardizedDifferenceOf,
} from '@evaluation/rules';
import { bootstrap, type Estimate } from '../statistics/bootstrap.ts';
import { randomFrom } from '../statistics/random.ts';
import type { Pair } from './pairs.ts';

/**
 * Measures of a set of pairs. For unitless measures (kappas, r, SMD), marks of several questions are combined as shares
 * of max_marks; errors are in marks.
 */
export type Measure =
  | 'qwk'
  | 'r'
  | 'exact'
  | 'adjacent'
  | 'meanError'
  | 'meanErrorShare'
  | 'mae'
  | 'rmse'
  | 'smd'
  | 'humanQwk'
  | 'humanR'
  | 'humanExact'
  | 'humanAdjacent'
  | 'degradation';

export interface Measures extends Record<Measure, Estimate> {
  n: number;
  doubleMarked: number;
}

/** Adds bootstrap intervals; `name` seeds them, so that a report is reproducible. */
export const measure = (pairs: readonly Pair[], name: string): Measures => {
  const byQuestion = Map.groupBy(pairs, ({ questionId }) => questionId);
  const strata = [...byQuestion.values()];
  return {
    n: pairs.length,
    doubleMarked: pairs.filter(({ second }) => second !== null).length,
    ...bootstrap(strata, valuesOf, randomFrom(name)),
  };
};

export const valuesOf = (pairs: readonly Pair[]): Record<Measure, number | null> => {
  const human = pairs.map(({ human: marks, maxMarks }) => marks / maxMarks);
  const machine = pairs.map(({ machine: marks, maxMarks }) => marks / maxMarks);
  const moments = momentsOf(human, machine);
  const double = pairs.flatMap((pair) => (pair.second === null ? [] : [{ ...pair, second: pair.second }]));
  const first = double.map(({ human: marks, maxMarks }) => marks / maxMarks);
  const second = double.map(({ second: marks, maxMarks }) => marks / maxMarks);
  const people = momentsOf(first, second);
  const humanQwk = kappaOf(people);
  const qwkThere = quadraticWeightedKappa(
    first,
    double.map(({ machine: marks, maxMarks }) => marks / maxMarks),
  );
  const mean = (figureOf: (pair: Pair) => number): number | null =>
    pairs.length === 0 ? null : pairs.reduce((sum, pair) => sum + figureOf(pair), 0) / pairs.length;
  const squares = mean((pair) => (pair.machine - pair.human) ** 2);
  const peopleShare = (agree: (a: number, b: number, maxMarks: number) => boolean): number | null =>
    double.length === 0
      ? null
      : double.filter((pair) => agree(pair.human, pair.second, pair.maxMarks)).length / double.length;
  return {
    qwk: kappaOf(moments),
    r: correlationOf(moments),
    exact: mean((pair) => Number(isExact(pair.human, pair.machine, pair.maxMarks))),
    adjacent: mean((pair) => Number(isAdjacent(pair.human, pair.machine, pair.maxMarks))),
    meanError: mean((pair) => pair.machine - pair.human),
    meanErrorShare: mean((pair) => (pair.machine - pair.human) / pair.maxMarks),
    mae: mean((pair) => Math.abs(pair.machine - pair.human)),
    rmse: squares === null ? null : Math.sqrt(squares),
    smd: standardizedDifferenceOf(moments),
    humanQwk,
    humanR: correlationOf(people),
    humanExact: peopleShare(isExact),
    humanAdjacent: peopleShare(isAdjacent),
    // Both kappas on the same answers, so that only the markers differ.
    degradation: qwkThere === null || humanQwk === null ? null : qwkThere - humanQwk,
  };
};
