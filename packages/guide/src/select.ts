import type { FittedGuide, GuideExample } from './fit.ts';
import { nearestExamples } from './nearest.ts';

/** Number of marked answers that a judge is shown at most. */
export const MOST_SHOWN = 6;

/**
 * The examples to show a judge with an answer: half of them the most like it, the rest those on which teacher and grader differed
 * most. `excluded` are ids that must not be shown, such as those of the same candidate.
 */
export const selectExamples = (
  guide: FittedGuide,
  text: string,
  { count = MOST_SHOWN, excluded = new Set() }: { count?: number; excluded?: ReadonlySet<string> } = {},
): GuideExample[] => {
  const open = guide.model.examples.filter(({ id }) => !excluded.has(id));
  const byId = new Map(open.map((example) => [example.id, example]));
  const nearest = nearestExamples(guide, text, guide.model.examples.length)
    .flatMap(({ id }) => byId.get(id) ?? [])
    .slice(0, Math.ceil(count / 2));
  const shown = new Set(nearest.map(({ id }) => id));
  const instructive = open
    .filter(({ id }) => !shown.has(id))
    .toSorted((a, b) => differenceOf(b) - differenceOf(a));
  return [...nearest, ...instructive.slice(0, Math.max(count - nearest.length, 0))];
};

const differenceOf = ({ graderShare, teacherShare }: GuideExample): number =>
  Math.abs(teacherShare - graderShare);
