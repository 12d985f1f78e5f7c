import type { AnswerInput, QuestionInput } from '@evaluation/rest-contract/schemas';
import { readTable, type FileProblem } from './readTable.ts';

/** What is known of the questions of the exam. */
interface AskedQuestion {
  id: string;
  label: string;
  type: QuestionInput['type'];
}

export interface TypedAnswers {
  line: number;
  external_id: string;
  name?: string;
  roll_number?: string;
  answers: AnswerInput[];
}

const ALIASES = {
  external_id: ['id', 'candidate', 'candidate_id', 'student_id'],
  roll_number: ['roll', 'roll_no'],
} as const;

const ABOUT_THE_CANDIDATE =
  /^(external_id|id|candidate|candidate_id|student_id|roll_number|roll|roll_no|name)$/;

const isChoice = (type: QuestionInput['type']): boolean => /^(mcq_|true_false)/.test(type);

/** An answer as the API takes it: labels of options, separated by commas or blanks, or a text. */
const answerOf = ({ id, type }: Pick<AskedQuestion, 'id' | 'type'>, text: string): AnswerInput =>
  isChoice(type)
    ? { question_id: id, option_labels: text.split(/[\s,;|]+/).filter((label) => label !== '') }
    : { question_id: id, text };

/**
 * Reads typed answers from a table with one line for each candidate and one column for each question, headed by its
 * label. Empty cells are answers that were not given.
 */
export const readAnswers = (
  text: string,
  questions: readonly AskedQuestion[],
): { submissions: TypedAnswers[]; problems: FileProblem[] } => {
  const table = readTable(text, ALIASES);
  const problems = [...table.problems];
  const asked = new Map(questions.map((question) => [question.label.toLowerCase(), question]));
  const columns = table.headings.flatMap((heading) => {
    const name = heading.toLowerCase();
    const question = asked.get(name) ?? asked.get(name.replace(/^(?:question|q)[\s._]*/, ''));
    if (question !== undefined) return [{ heading, question }];
    if (!ABOUT_THE_CANDIDATE.test(name.replaceAll(/[\s-]+/g, '_')))
      problems.push({ line: 1, code: 'unknown_column', about: heading });
    return [];
  });
  if (table.rows.length > 0 && columns.length === 0)
    problems.push({ line: 1, code: 'no_column', about: questions[0]?.label ?? '' });
  const seen = new Set<string>();
  const submissions = table.rows.flatMap(({ line, cell }): TypedAnswers[] => {
    const [name, rollNumber] = [cell('name'), cell('roll_number')];
    const externalId = cell('external_id') === '' ? rollNumber : cell('external_id');
    if (externalId === '' || seen.has(externalId)) {
      const about = externalId === '' ? 'external_id' : externalId;
      problems.push({ line, code: externalId === '' ? 'empty' : 'repeated', about });
      return [];
    }
    seen.add(externalId);
    const answers = columns
      .map(({ heading, question }) => ({ question, given: cell(heading) }))
      .filter(({ given }) => given !== '')
      .map(({ question, given }) => answerOf(question, given));
    return [
      {
        line,
        external_id: externalId,
        ...(name === '' ? {} : { name }),
        ...(rollNumber === '' ? {} : { roll_number: rollNumber }),
        answers,
      },
    ];
  });
  return { submissions, problems };
};
