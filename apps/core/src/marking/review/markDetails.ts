import { longText } from '@evaluation/rest-contract/schemas/primitives';
import type { CriterionResult } from '@evaluation/rest-contract/schemas';
import { addUp, type CriteriaOfTeacher } from '@evaluation/rules';
import * as z from 'zod/v4';
import { refuseField } from '../../command/accept.ts';

/*
 * What a teacher at the desk may give beside a mark: the marks of the criteria, which add up to it, and a text instead
 * of the feedback of the AI. The API has neither.
 */

export const MarkDetails = z.object({
  /** Marks of the criteria of the result, in their order. Null: only the sum is given. */
  criteria: z.array(z.number()).max(200).nullish(),
  /** Null keeps the feedback of the AI; an empty text removes it. */
  feedback: longText(2000).nullish(),
});
export type MarkDetails = z.infer<typeof MarkDetails>;

/** @throws DomainFailure validation_failed if the marks of criteria do not fit the result or do not add up */
export const refuseUnfitCriteria = (
  given: readonly number[],
  criteria: readonly CriterionResult[],
  awarded: number,
): void => {
  if (given.length !== criteria.length) {
    refuseField('criteria', 'invalid', `The result has ${criteria.length} criteria.`);
  }
  for (const [index, marks] of given.entries()) {
    const max = criteria[index]?.max ?? Infinity;
    if (marks < 0 || marks > max) refuseField(`criteria[${index}]`, 'out_of_range', `From 0 to ${max}.`);
  }
  const sum = addUp(given);
  if (sum !== awarded) {
    refuseField('criteria', 'invalid', `The criteria add up to ${sum}, and the mark is ${awarded}.`);
  }
};

/** Marks with the names of their criteria, as they are stored: a later run may have other criteria. */
export const namedMarks = (
  given: readonly number[],
  criteria: readonly CriterionResult[],
): CriteriaOfTeacher => given.map((awarded, index) => ({ name: criteria[index]?.name ?? '', awarded }));
