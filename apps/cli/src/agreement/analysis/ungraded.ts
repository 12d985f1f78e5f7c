import type { DataSet } from '../data/readData.ts';
import type { Outcome } from '../grading/run.ts';
import type { Ungraded } from './verdict.ts';

const REASONS: Readonly<Record<NonNullable<Outcome['failure']>, string>> = {
  malformed: "the model's replies broke the schema each time",
  unanswered: 'the model repeatedly did not finish its reply',
  transient: 'the provider did not answer in time',
};

export const ungradedOf = ({ answers }: DataSet, outcomes: readonly Outcome[]): Ungraded => {
  const failed = outcomes.filter(({ result }) => result === null);
  const first = failed.filter(({ kind }) => kind === 'first');
  const byReason = Map.groupBy(first, ({ failure }) => failure ?? 'transient');
  const reasons = [...byReason].map(([failure, { length }]) =>
    byReason.size === 1 ? REASONS[failure] : `${length} times ${REASONS[failure]}`,
  );
  return {
    answers: first.length,
    outOf: answers.filter(({ blank }) => !blank).length,
    because: reasons.join(', and '),
    again: failed.length - first.length,
  };
};
