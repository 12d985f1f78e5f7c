import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { Rubric } from '@evaluation/rest-contract/schemas';
import { labelKey } from './labels.ts';
import { hasMarkFigures } from './markFigures.ts';
import { exact, sum } from './marks/exact.ts';
import { isRead, type Parts } from './readable.ts';

/** Most UTF-16 units of all texts of a rubric together; as long as a model answer (open point `rubric-bounds`). */
const MAX_TEXT = 20_000;

/**
 * Rules of a rubric beyond its schema (docs/api/rubrics.md#rules), for a rubric in which fields may be `BROKEN`.
 * Criterion names are compared without outer spaces and case, like labels, because neither a grader nor a reader could
 * tell "Idea" from "idea ". They are stored as sent.
 */
export const checkRubric = (rubric: Parts<Rubric>, maxMarks: Parts<number>, at: string): Problem[] => {
  if (!isRead(rubric) || !isRead(rubric.criteria)) return [];
  const criteria = rubric.criteria;
  const problems: Problem[] = [];
  const marks = criteria.flatMap((criterion) =>
    isRead(criterion) && isRead(criterion.marks) ? [criterion.marks] : [],
  );
  // The schema already refuses a rubric without criteria; its sum of 0 would be a second problem for the same fault.
  if (isRead(maxMarks) && criteria.length > 0 && marks.length === criteria.length) {
    const total = sum(marks);
    if (!total.equals(exact(maxMarks))) {
      problems.push({
        field: `${at}.criteria`,
        code: 'rubric_marks_mismatch',
        message: `The marks of the criteria add up to ${total.toString()}, not to ${maxMarks}.`,
        failure: 'rubric_marks_mismatch',
      });
    }
  }
  const isTooLong = textLength(criteria) > MAX_TEXT;
  if (isTooLong) {
    problems.push({
      field: `${at}.criteria`,
      code: 'too_long',
      message: `At most ${MAX_TEXT} characters of names, keywords and guidance together.`,
    });
  }
  const names = new Set<string>();
  criteria.forEach((criterion, index) => {
    if (!isRead(criterion)) return;
    if (isRead(criterion.name)) {
      const name = labelKey(criterion.name.trim());
      if (names.has(name)) {
        problems.push({
          field: `${at}.criteria[${index}].name`,
          code: 'rubric_duplicate_criterion',
          message: 'Criterion names must be unique.',
          failure: 'rubric_duplicate_criterion',
        });
      }
      names.add(name);
    }
    // Skip the slow search in a text that is refused for its length.
    if (!isTooLong && typeof criterion.guidance === 'string' && hasMarkFigures(criterion.guidance)) {
      problems.push({
        field: `${at}.criteria[${index}].guidance`,
        code: 'rubric_guidance_has_marks',
        message: 'Leave the mark figures out: the marks of the criterion say them.',
        failure: 'rubric_guidance_has_marks',
      });
    }
  });
  return problems;
};

const textLength = (criteria: readonly Parts<Rubric['criteria'][number]>[]): number => {
  let length = 0;
  const count = (text: unknown) => {
    if (typeof text === 'string') length += text.length;
  };
  for (const criterion of criteria) {
    if (!isRead(criterion)) continue;
    count(criterion.name);
    count(criterion.guidance);
    const keywords = criterion.keywords ?? [];
    if (isRead(keywords)) keywords.forEach(count);
  }
  return length;
};
