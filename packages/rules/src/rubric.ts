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

const FIGURE = String.raw`(?:\p{Nd}+(?:\.\p{Nd}+|½)?|\.\p{Nd}+|½)`;
const NUMBER = String.raw`(?:${FIGURE}|half(?:\s+a)?|one|two|three|four|five|six|seven|eight|nine|ten)`;
const MARKS = String.raw`(?:marks?|pts?)\b`;
/** "Any 3 points", "the four points": things to say, which examiners call points as often as marks. */
const NOT_THINGS_TO_SAY = String.raw`(?<!\b(?:any|all|the|of|these|those|least)\s+)`;

const MARK_FIGURES = [
  // "2 marks", "1.5 pts", "half a mark", "0.5-mark"; not "full marks", which names no figure
  String.raw`(?<![\w.])${NUMBER}\s*-?\s*${MARKS}`,
  // "3 points for the graph"; not "3 points from the text"
  String.raw`${NOT_THINGS_TO_SAY}(?<![\w.])${NUMBER}\s*-?\s*points?\s+(?:for|if|per|each|when)\b`,
  // "marks: 2", "mark = 1", "marks - 2"
  String.raw`\b${MARKS}\s*[:=–-]\s*\p{Nd}`,
  // "max 3", "maximum of 2."
  String.raw`\b(?:max|maximum)\.?\s*(?:of\s+)?[:=]?\s*${FIGURE}\s*(?:$|[.,;)])`,
  // "(2m)", "[1 M]"
  String.raw`[([]\s*${FIGURE}\s*m\s*[)\]]`,
  // "award 2", "deduct 0.5", "worth 2": a figure that the verb gives away
  String.raw`\b(?:award|deduct|worth)\s+(?:up\s+to\s+)?${FIGURE}(?![\w½])(?!\s*(?:%|years?|examples?|points?\s+of))`,
  // "give 1 for the formula", "+1 for the unit"
  String.raw`\b(?:give|allow|earns?|scores?|gets?)\s+(?:up\s+to\s+)?${FIGURE}\s+for\b`,
  String.raw`(?:^|[,;.(]\s*)[+-]\s?${FIGURE}\s+for\b`,
].map((pattern) => new RegExp(pattern, 'iu'));

/**
 * Whether a text gives marks in figures ("give 2 marks", "max 3"), and not merely numbers ("at least 2 examples").
 * Runs of spaces become one first: several `\s*` in a row over thousands of spaces would take seconds.
 */
export const hasMarkFigures = (text: string): boolean => {
  const plain = text.replace(/\s+/gu, ' ');
  return MARK_FIGURES.some((pattern) => pattern.test(plain));
};
