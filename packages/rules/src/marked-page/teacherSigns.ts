import { markNote } from '../markNote.ts';
import type { OnPage } from './annotations.ts';

interface Criterion {
  name: string;
  awarded: number | null;
  max: number | null;
}

/**
 * The annotations of a question that a teacher has marked: all that the AI drew, but for what the teacher's mark
 * contradicts.
 *
 * - The same mark contradicts nothing.
 * - Marks of criteria: a criterion with another mark gets the sign of that mark, without the AI's words.
 * - A higher sum contradicts crosses and remarks, a lower one ticks.
 *
 * @param before the mark and criteria without the teacher's mark
 * @param given the teacher's mark, and all criteria with the teacher's marks; null if only the sum was given
 * @param annotations the mark first, and then those of the criteria, in their order (`annotate` of the grader)
 */
export const withTeacherSigns = (
  { label, max }: { label: string; max: number },
  before: { awarded: number | null; criteria: readonly Criterion[] },
  given: { awarded: number; criteria: readonly Criterion[] | null },
  annotations: readonly OnPage[],
): OnPage[] => {
  const { awarded, criteria } = given;
  const [mark, ...ofCriteria] = annotations;
  const newMark = mark === undefined ? [] : [{ ...mark, text: markNote(label, awarded, max) }];
  if (criteria !== null) {
    const changed = ofCriteria.map((annotation, index) => {
      const criterion = criteria[index];
      return criterion === undefined || criterion.awarded === before.criteria[index]?.awarded
        ? annotation
        : { ...annotation, ...signOf(criterion) };
    });
    return [...newMark, ...changed];
  }
  if (awarded === before.awarded) return [...annotations];
  const isHigher = awarded > (before.awarded ?? 0);
  return [...newMark, ...ofCriteria.filter(({ kind }) => isHigher === (kind === 'tick'))];
};

/** The sign of a criterion that a teacher has marked, without the AI's words. */
const signOf = ({ name, awarded, max }: Criterion): Pick<OnPage, 'kind' | 'text'> => {
  if (awarded === max) return { kind: 'tick', text: name.slice(0, 120) };
  const text = `${awarded}/${max} ${name}`.slice(0, 120);
  return { kind: awarded === 0 ? 'cross' : 'comment', text };
};
