import { roundAwards } from '@evaluation/rules';
import type { ObjectiveKey } from '@evaluation/rules';
import { annotate } from '../annotations.ts';
import { reviewReasons } from '../confidence.ts';
import { locateQuote } from '../quotes.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { flagInjection } from '../injection/flagInjection.ts';
import { criteriaOf } from '../judgeAnswer/criteria.ts';
import { decideObjective, objectiveKey } from '../judgeAnswer/objective.ts';
import { plainText } from '../plainText.ts';
import { markLexically, paperOf, searchable } from './lexical.ts';
import { readObjectiveText } from './objectiveText.ts';

/**
 * Marks by words alone. A request for marks adds no marks. Confidence is 0.20 to 0.50, always below the
 * review line, because words do not show understanding. Each judgement has the review reason `baseline_grader`.
 */
export const judgeLexically = (request: JudgeRequest): Judgement => {
  const key = objectiveKey(request.question);
  const judged = key === null ? judgeLong(request) : judgeObjective(request, key);
  const confidence = Math.round((0.2 + 0.3 * judged.grasp * (request.answer.legibility ?? 1)) * 100) / 100;
  const { grasp: _, ...judgement } = judged;
  const reasons = reviewReasons(confidence, ['baseline_grader']);
  return flagInjection(request, { ...judgement, confidence, reviewReasons: reasons }, false);
};

/** `grasp`: share of the expected words that were found, 0..1. */
type Judged = Omit<Judgement, 'confidence' | 'reviewReasons'> & { grasp: number };

const judgeObjective = (request: JudgeRequest, key: ObjectiveKey): Judged => {
  const { correct, ...decided } = decideObjective(request, key, readObjectiveText(request, key));
  const outcome = correct === null ? 'No answer could be read.' : correct ? 'Right.' : 'Not right.';
  const [criterion] = decided.criteria;
  return {
    ...decided,
    feedback: `${outcome} ${criterion?.reason ?? ''}.`.replace('..', '.'),
    grasp: correct === null ? 0 : 1,
  };
};

const judgeLong = ({ question, answer }: JudgeRequest): Judged => {
  const criteria = criteriaOf(question);
  const { text, maxMarks, modelAnswer, partialMarking } = question;
  const paper = paperOf({ text, maxMarks, modelAnswer, criteria, partialMarking: partialMarking !== false });
  const searched = searchable(answer.text);
  const marks = criteria.map((criterion) => markLexically(paper, criterion, searched));
  const settled = roundAwards(
    criteria,
    marks.map(({ share }, index) => ({ number: index + 1, awarded: share * (criteria[index]?.marks ?? 0) })),
  );
  const results = settled.criteria.map((criterion, index) => {
    const mark = marks[index];
    const quoted = mark?.found.find((phrase) => locateQuote(phrase, answer.text) !== null);
    return { ...criterion, reason: mark === undefined ? '' : reasonOf(mark), evidence: quoted ?? null };
  });
  const compared = marks.filter(({ nothingToCompare }) => !nothingToCompare);
  const grasp = compared.reduce((sum, { share }) => sum + share, 0) / Math.max(marks.length, 1);
  const found = [...new Set(marks.flatMap((mark) => mark.found))];
  const missing = [...new Set(marks.flatMap((mark) => mark.missing))];
  const letters = Math.max(0, ...compared.map((mark) => mark.letters));
  const feedback =
    compared.length === 0
      ? 'There is neither a rubric nor a model answer to compare this answer with.'
      : reasonFor({ found, missing, letters }, settled.awarded === question.maxMarks);
  return {
    awarded: settled.awarded,
    criteria: results,
    feedback: plainText(feedback, 4000),
    annotations: annotate(question.label, settled.awarded, question.maxMarks, results, answer.blocks),
    grasp,
  };
};

const reasonOf = (mark: ReturnType<typeof markLexically>): string => {
  if (mark.nothingToCompare) return 'Nothing to compare with: no keywords and no model answer.';
  return plainText(reasonFor(mark, mark.share === 1), 1000);
};

/** What a mark rests on: the words that were found, and the letters of words that are spelt or read otherwise. */
const reasonFor = (
  { found, missing, letters }: Pick<ReturnType<typeof markLexically>, 'found' | 'missing' | 'letters'>,
  isFull: boolean,
): string => {
  const basis =
    letters < 0.005 ? '' : ` Similar words have ${Math.round(letters * 100)}% of the expected letters.`;
  const enough = isFull && missing.length > 0 ? ' What was found is enough for full marks.' : '';
  return `Found: ${listed(found)}.${basis} Missing: ${listed(missing)}.${enough}`;
};

const listed = (phrases: string[]): string => {
  const shown = phrases.slice(0, 12).join(', ');
  return phrases.length === 0
    ? 'nothing'
    : phrases.length > 12
      ? `${shown} and ${phrases.length - 12} more`
      : shown;
};
