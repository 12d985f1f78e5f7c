import * as z from 'zod/v4';

/** Marks that a teacher gave to the criteria of a result, by name. Names are unique within a rubric. */
export const CriteriaOfTeacher = z.array(z.object({ name: z.string(), awarded: z.number() })).max(200);
export type CriteriaOfTeacher = z.infer<typeof CriteriaOfTeacher>;

/**
 * The criteria of a result with a teacher's marks. A later run may have other criteria than those that the teacher
 * marked.
 * @returns null without such marks, or if they were given to other criteria: then the teacher's sum counts alone
 */
export const markedByTeacher = <T extends { name: string; awarded: number | null }>(
  criteria: readonly T[],
  given: CriteriaOfTeacher | null,
): T[] | null => {
  if (given === null || given.length !== criteria.length) return null;
  const marked = criteria.map((criterion, index) => {
    const mark = given[index];
    return mark?.name === criterion.name ? { ...criterion, awarded: mark.awarded } : null;
  });
  return marked.every((criterion) => criterion !== null) ? marked : null;
};
