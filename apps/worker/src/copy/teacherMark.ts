import type { DrawingMaterial } from '@evaluation/core-client';
import { markedByTeacher, markNote } from '@evaluation/rules';
import type { CopyResult } from './copyResult.ts';

type Override = DrawingMaterial['overrides'][number];
type Annotation = CopyResult['result']['annotations'][number];

type Drawn = Omit<CopyResult['result'], 'criteria'> & {
  criteria: { name: string; awarded: number | null; max: number | null; reason: string | null }[];
};

/**
 * What the checked copy shows of a question that a teacher has marked: all that the AI drew and wrote, but for what the
 * teacher's mark contradicts.
 *
 * - The same mark contradicts nothing.
 * - Marks of criteria: a criterion with another mark gets the sign of that mark, and the AI's reason goes.
 * - A higher sum contradicts crosses and remarks, a lower one ticks. The marks of the criteria go, because they add up
 *   to the AI's sum.
 */
export const withTeacherMark = ({ question, result }: CopyResult, override: Override): Drawn => {
  const { awarded, feedback } = override;
  const marked = {
    ...result,
    status: 'graded' as const,
    awarded,
    needs_review: false,
    feedback: feedback ?? result.feedback,
  };
  // The first annotation is the mark, and the others are of the criteria, in their order (`annotate` of the grader).
  const [mark, ...ofCriteria] = result.annotations;
  const newMark: Annotation[] =
    mark === undefined ? [] : [{ ...mark, text: markNote(question.label, awarded, question.max_marks) }];
  const criteria = markedByTeacher(result.criteria, override.criteria);
  if (criteria !== null) {
    const isChanged = (index: number): boolean =>
      criteria[index]?.awarded !== result.criteria[index]?.awarded;
    return {
      ...marked,
      criteria: criteria.map((each, index) => (isChanged(index) ? { ...each, reason: null } : each)),
      annotations: [
        ...newMark,
        ...ofCriteria.map((annotation, index) => {
          const criterion = criteria[index];
          return criterion !== undefined && isChanged(index)
            ? { ...annotation, ...signOf(criterion) }
            : annotation;
        }),
      ],
    };
  }
  if (awarded === result.awarded) return marked;
  const isHigher = awarded > (result.awarded ?? 0);
  return {
    ...marked,
    criteria: result.criteria.map(({ name, reason, awarded: given, max }) => ({
      name,
      reason: isHigher === (given === max) ? reason : null,
      awarded: null,
      max: null,
    })),
    annotations: [...newMark, ...ofCriteria.filter(({ kind }) => isHigher === (kind === 'tick'))],
  };
};

/** The sign of a criterion that a teacher has marked, without the AI's words. */
const signOf = ({
  name,
  awarded,
  max,
}: {
  name: string;
  awarded: number | null;
  max: number | null;
}): Pick<Annotation, 'kind' | 'text'> => {
  if (awarded === max) return { kind: 'tick', text: name.slice(0, 120) };
  const text = `${awarded}/${max} ${name}`.slice(0, 120);
  return { kind: awarded === 0 ? 'cross' : 'comment', text };
};
