import { hasMarkFigures, labelKey, MARK_STEP } from '@evaluation/rules';
import type { MadeRubric, MakeRubricRequest } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { MalformedOutput } from '../strictSchema.ts';
import { proposedSteps } from './markSteps.ts';
import type { RubricWire } from './schema.ts';

/** Keeps the rubric within 20,000 characters (open point `rubric-bounds`). */
const MOST_CRITERIA = 10;
const MOST_KEYWORDS = 12;
const NAME_LENGTH = 120;
const KEYWORD_LENGTH = 60;
const GUIDANCE_LENGTH = 1000;
const HIGHEST_MARKS = 1000;

/**
 * Turns any proposal into a rubric that follows the rules (docs/api/rubrics.md#rules): unique names without `<` and
 * `>`, marks in half steps that add up to the question's, and guidance without mark figures.
 * @throws MalformedOutput if only the model can correct the proposal
 */
export const settleRubric = (
  { question }: MakeRubricRequest,
  wire: RubricWire,
): { value: MadeRubric; problems: string[] } => {
  const malformed = (problem: string) => new MalformedOutput(problem, JSON.stringify(wire));
  const problems: string[] = [];
  if (wire.criteria.length > MOST_CRITERIA) throw malformed(`There are more than ${MOST_CRITERIA} criteria.`);
  wire.criteria.forEach(({ name, marks, guidance }, index) => {
    const at = `Criterion ${index + 1}`;
    if (shortText(name) === '') throw malformed(`${at} has no name.`);
    if (!(marks >= 0 && marks <= HIGHEST_MARKS)) throw malformed(`${at}: the marks are out of range.`);
    if (hasMarkFigures(plainText(guidance, GUIDANCE_LENGTH))) {
      throw malformed(`${at}: the guidance gives marks in figures. Leave them out; "marks" says them.`);
    }
  });

  const steps = proposedSteps(
    wire.criteria.map(({ marks }) => marks),
    question.maxMarks / MARK_STEP,
  );
  const names = new Set<string>();
  const value = wire.criteria.flatMap(({ name, keywords, guidance }, index) => {
    const marks = (steps[index] ?? 0) * MARK_STEP;
    if (marks === 0) return [];
    const note = plainText(guidance, GUIDANCE_LENGTH);
    return [
      {
        name: uniqueName(shortText(name), names),
        marks,
        keywords: shortKeywords(keywords),
        guidance: note === '' ? null : note,
      },
    ];
  });
  if (value.length === 0) throw malformed('There is no criterion with marks.');
  if (value.length < wire.criteria.length) problems.push('criteria without marks were dropped');
  if (wire.criteria.some(({ marks }, index) => marks !== (steps[index] ?? 0) * MARK_STEP)) {
    problems.push('criterion marks were scaled to add up in half steps');
  }
  return { value, problems };
};

/** One line of text without markup: angle brackets become quotation marks of similar shape. */
const shortText = (text: string): string =>
  plainText(
    plainText(text, 2 * NAME_LENGTH)
      .replaceAll('<', '‹')
      .replaceAll('>', '›')
      .replace(/\s+/g, ' '),
    NAME_LENGTH,
  );

const uniqueName = (name: string, taken: Set<string>): string => {
  let unique = name;
  for (let nth = 2; taken.has(labelKey(unique)); nth += 1) unique = `${name} (${nth})`;
  taken.add(labelKey(unique));
  return unique;
};

const shortKeywords = (keywords: readonly string[]): string[] => {
  const byKey = new Map<string, string>();
  for (const keyword of keywords) {
    const short = plainText(keyword, KEYWORD_LENGTH);
    if (short !== '' && !byKey.has(labelKey(short))) byKey.set(labelKey(short), short);
  }
  return [...byKey.values()].slice(0, MOST_KEYWORDS);
};
