import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import type { DraftQuestion } from '../form/draft.ts';
import { draftQuestion } from '../form/stored.ts';
import { readTable, type FileProblem, type TableRow } from './readTable.ts';

const ALIASES = {
  label: ['no', 'number', 'question_number', 'q'],
  text: ['question'],
  max_marks: ['marks'],
  correct: ['correct_options', 'key'],
  criteria: ['rubric'],
} as const;

/** Names of types that teachers write; the types of the API are accepted too. */
const TYPES: Readonly<Record<string, QuestionInput['type']>> = {
  mcq_single: 'mcq_single',
  mcq: 'mcq_single',
  mcq_multi: 'mcq_multi',
  true_false: 'true_false',
  numeric: 'numeric',
  number: 'numeric',
  one_word: 'one_word',
  long_answer: 'long_answer',
  long: 'long_answer',
  '': 'long_answer',
};

/** `A: One | B: Two` → label and text of each. Null if a part has no colon. */
const pairsOf = (cell: string): [string, string][] | null => {
  const parts = cell.split(/[|\n]/).filter((part) => part.trim() !== '');
  const pairs = parts.map((part): [string, string] | null => {
    const at = part.indexOf(':');
    return at < 1 ? null : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
};

const numberIn = (written: string): number => Number(written.replace(',', '.'));

/**
 * Reads questions from a table with the columns label, section, type, text, max_marks, negative_marks, options
 * (`A: One | B: Two`), correct (`A, C`), answer, model_answer and criteria (`Definition: 1 | Example: 1.5`). Only the
 * form of the cells is checked here; the API checks the questions.
 */
export const readQuestionTable = (text: string): { questions: DraftQuestion[]; problems: FileProblem[] } => {
  const table = readTable(text, ALIASES);
  const problems = [...table.problems];
  const questions = table.rows.map((row, index) => readQuestion(row, index, problems));
  return { questions, problems };
};

const readQuestion = ({ line, cell }: TableRow, index: number, problems: FileProblem[]): DraftQuestion => {
  const number = (written: string): number | undefined => {
    if (written === '') return undefined;
    const value = numberIn(written);
    if (Number.isFinite(value)) return value;
    problems.push({ line, code: 'no_number', about: written });
    return undefined;
  };
  const pairs = (heading: string): [string, string][] => {
    const found = pairsOf(cell(heading));
    if (found === null) problems.push({ line, code: 'bad_list', about: heading });
    return found ?? [];
  };
  const written = cell('type')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const type = TYPES[written];
  if (type === undefined) problems.push({ line, code: 'unknown_type', about: written });
  const options = pairs('options').map(([label, optionText]) => ({ label, text: optionText }));
  const correct = cell('correct')
    .split(/[\s,;|]+/)
    .filter((label) => label !== '');
  const criteria = pairs('criteria').map(([name, marks]) => ({ name, marks: number(marks) ?? 0 }));
  const [maxMarks, negative] = [number(cell('max_marks')), number(cell('negative_marks'))];
  const [section, answer, modelAnswer] = [cell('section'), cell('answer'), cell('model_answer')];
  const question = draftQuestion({
    label: cell('label') === '' ? String(index + 1) : cell('label'),
    type: type ?? 'long_answer',
    text: cell('text'),
    max_marks: maxMarks ?? 0,
    ...(section === '' ? {} : { section }),
    ...(negative === undefined ? {} : { negative_marks: negative }),
    ...(options.length === 0 ? {} : { options, correct_options: correct }),
    ...(answer === '' ? {} : { answer: answer.split('|').map((one) => one.trim()) }),
    ...(modelAnswer === '' ? {} : { model_answer: modelAnswer }),
    ...(criteria.length === 0 ? {} : { rubric: { partial_marking: true, criteria } }),
  });
  return maxMarks === undefined ? { ...question, maxMarks: '' } : question;
};
