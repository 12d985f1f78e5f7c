import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { Rubric } from '@evaluation/rest-contract/schemas';
import { labelKey } from './labels.ts';
import { exact, sum } from './marks.ts';

/** The rules of a rubric that its own fields cannot say (spec 2.3, rules 1–3). */
export const checkRubric = (rubric: Rubric, maxMarks: number, at: string): Problem[] => {
  const problems: Problem[] = [];
  const total = sum(rubric.criteria.map(({ marks }) => marks));
  if (!total.equals(exact(maxMarks))) {
    problems.push({
      field: `${at}.criteria`,
      code: 'rubric_marks_mismatch',
      message: `The marks of the criteria add up to ${total.toString()}, not to ${maxMarks}.`,
      failure: 'rubric_marks_mismatch',
    });
  }
  const names = new Set<string>();
  rubric.criteria.forEach((criterion, index) => {
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
    if (criterion.guidance != null && hasMarkFigures(criterion.guidance)) {
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

const NUMBER = String.raw`(?:\d+(?:\.\d+)?|½|half(?:\s+a)?|one|two|three|four|five|six|seven|eight|nine|ten|full|a)`;
const MARKS = String.raw`(?:marks?|points?|pts?)\b`;

const MARK_FIGURES = [
  // "2 marks", "1.5 points", "half a mark", "0.5-mark"; not "full marks", which names no figure
  new RegExp(String.raw`(?<![\w.])(?!full|a\b)${NUMBER}\s*-?\s*${MARKS}`, 'iu'),
  // "marks: 2", "mark = 1", "max 3", "maximum of 2", "out of 5 marks"
  new RegExp(String.raw`\b${MARKS}\s*[:=]\s*\d`, 'iu'),
  new RegExp(String.raw`\b(?:max|maximum)\.?\s*(?:of\s+)?[:=]?\s*\d+(?:\.\d+)?\s*(?:$|[.,;)])`, 'iu'),
  // "(2m)", "[1 M]"
  /[([]\s*\d+(?:\.\d+)?\s*m\s*[)\]]/iu,
  // "award 2", "deduct 0.5", "give 1 for", "worth 2": a figure that the verb gives away
  /\b(?:award|deduct|worth)\s+(?:up\s+to\s+)?\d+(?:\.\d+)?\b(?!\s*(?:%|years?|examples?|points?\s+of))/iu,
];

/** Whether a text gives marks in figures ("give 2 marks", "max 3"), and not merely numbers ("at least 2 examples"). */
export const hasMarkFigures = (text: string): boolean => MARK_FIGURES.some((pattern) => pattern.test(text));
