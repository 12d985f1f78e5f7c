import type { AnswerInput, QuestionInput } from '@evaluation/rest-contract/schemas';
import {
  CANDIDATE_COLUMNS,
  candidateReader,
  problemsOfColumns,
  type DescribedCandidate,
} from './candidateFields.ts';
import type { FileProblem } from './problems.ts';
import { optionsNamed, type NamedOption } from './questionLists.ts';
import { fieldsByName, plain, readTable, type TableSource } from './readTable.ts';

/** What is known of the questions of the exam. */
interface AskedQuestion {
  id: string;
  label: string;
  type: QuestionInput['type'];
  options?: readonly NamedOption[];
}

export interface TypedAnswers extends DescribedCandidate {
  answers: AnswerInput[];
}

const isChoice = (type: QuestionInput['type']): boolean => /^(mcq_|true_false)/.test(type);

/** An answer as the API takes it: labels of options, separated by commas or blanks, or a text. */
const answerOf = ({ id, type, options = [] }: AskedQuestion, text: string): AnswerInput =>
  isChoice(type)
    ? { question_id: id, option_labels: optionsNamed(text, options).map(({ label }) => label) }
    : { question_id: id, text };

/** The question that a heading names by its label: `2(a)`, `Q2(a)`, `Question 2(a)`. */
const questionBy = (questions: readonly AskedQuestion[]): ((heading: string) => AskedQuestion | null) => {
  const asked = new Map(questions.map((question) => [plain(question.label), question]));
  return (heading) =>
    asked.get(plain(heading)) ?? asked.get(plain(heading).replace(/^(?:question|q)[_.]*/, '')) ?? null;
};

/**
 * Reads typed answers from a table with one line for each candidate and one column for each question, headed by its
 * label. Empty cells are answers that were not given.
 * @param leavesOutUnknown the teacher has seen which columns are not known, and leaves them out
 */
export const readAnswers = (
  source: TableSource,
  questions: readonly AskedQuestion[],
  leavesOutUnknown = false,
): { submissions: TypedAnswers[]; problems: FileProblem[]; decimalCommas: number } => {
  const questionOf = questionBy(questions);
  const candidateField = fieldsByName(CANDIDATE_COLUMNS);
  const table = readTable(source, {
    fieldOf: (heading) => questionOf(heading)?.id ?? candidateField(heading),
    leavesOutUnknown,
  });
  const problems = [...table.problems, ...problemsOfColumns(table)];
  const columns = questions.filter(({ id }) => table.fields.has(id));
  if (table.rows.length > 0 && columns.length === 0)
    problems.push({ line: 1, code: 'no_column', about: questions[0]?.label ?? '' });
  const candidateOf = candidateReader(problems);
  const submissions = (table.fields.has('external_id') ? table.rows : []).flatMap((row): TypedAnswers[] => {
    const candidate = candidateOf(row);
    if (candidate === null) return [];
    const answers = columns
      .map((question) => ({ question, given: row.asWritten(question.id).trim() }))
      .filter(({ given }) => given !== '')
      .map(({ question, given }) => answerOf(question, given));
    return [{ ...candidate, answers }];
  });
  return { submissions, problems, decimalCommas: decimalCommasIn(submissions, questions) };
};

/** Numbers such as `3,5`: the decimal sign is the point, so these answers are wrong as they are written. */
const decimalCommasIn = (
  submissions: readonly TypedAnswers[],
  questions: readonly AskedQuestion[],
): number => {
  const numeric = new Set(questions.filter(({ type }) => type === 'numeric').map(({ id }) => id));
  return submissions
    .flatMap(({ answers }) => answers)
    .filter(({ question_id, text }) => numeric.has(question_id ?? '') && /^[+-]?\d+,\d+$/.test(text ?? ''))
    .length;
};
