import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import { isChoice, type DraftQuestion } from '../form/draft.ts';
import { draftQuestion } from '../form/stored.ts';
import type { FileProblem } from './problems.ts';
import { criteriaIn, optionsIn, optionsNamed, type NamedOption } from './questionLists.ts';
import { fieldsByName, plain, readTable, type TableRow, type TableSource } from './readTable.ts';

const COLUMNS = {
  label: ['no', 'no.', 'number', 'question_number', 'question_no', 'q'],
  section: [],
  type: ['question_type'],
  text: ['question', 'question_text'],
  max_marks: ['marks', 'maximum_marks'],
  negative_marks: [],
  options: [],
  correct: ['correct_options', 'correct_option', 'correct_answer', 'key'],
  answer: [],
  model_answer: [],
  criteria: ['rubric'],
} as const;

export const QUESTION_HEADINGS: readonly string[] = Object.keys(COLUMNS);

/** Names of types that teachers write; the types of the API are accepted too. */
const TYPES: Readonly<Record<string, QuestionInput['type']>> = {
  mcq_single: 'mcq_single',
  mcq: 'mcq_single',
  multiple_choice: 'mcq_single',
  single_choice: 'mcq_single',
  mcq_multi: 'mcq_multi',
  mcq_multiple: 'mcq_multi',
  multiple_choice_multiple: 'mcq_multi',
  true_false: 'true_false',
  true_or_false: 'true_false',
  t_f: 'true_false',
  tf: 'true_false',
  numeric: 'numeric',
  numerical: 'numeric',
  number: 'numeric',
  one_word: 'one_word',
  long_answer: 'long_answer',
  long: 'long_answer',
  '': 'long_answer',
};

const typeOf = (written: string): QuestionInput['type'] | undefined => {
  const name = written
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
};

/** `Option A` is a column with the text of the option A. */
const ownOption = (heading: string): string | null =>
  /^option_([a-z]|\d{1,2})$/.exec(plain(heading))?.[1]?.toUpperCase() ?? null;

/**
 * Reads questions from a table with the columns label, section, type, text, max_marks, negative_marks, options
 * (`A: One | B: Two`, or a column for each option), correct (`A, C`), answer, model_answer and criteria
 * (`Definition: 1 | Example: 1.5`). Only the form of the cells is checked here; the API checks the questions.
 */
export const readQuestionTable = (
  source: TableSource,
): { questions: DraftQuestion[]; problems: FileProblem[] } => {
  const named = fieldsByName(COLUMNS);
  const table = readTable(source, {
    fieldOf: (heading) => {
      const option = ownOption(heading);
      return option === null ? named(heading) : `option ${option}`;
    },
  });
  const problems = [...table.problems];
  if (table.rows.length > 0 && !table.fields.has('text'))
    problems.push({ line: 1, code: 'no_column', about: 'text' });
  const options = [...table.fields].filter((field) => field.startsWith('option '));
  const questions = table.rows.map((row, index) => readQuestion(row, index, options, problems));
  return { questions, problems };
};

const TRUE_AND_FALSE: readonly NamedOption[] = [
  { label: 'T', text: 'True' },
  { label: 'F', text: 'False' },
];

const readQuestion = (
  { line, cell }: TableRow,
  index: number,
  optionFields: readonly string[],
  problems: FileProblem[],
): DraftQuestion => {
  const number = (written: string): number | undefined => {
    if (written === '') return undefined;
    const value = Number(withPoint(written));
    if (Number.isFinite(value)) return value;
    problems.push({ line, code: 'no_number', about: written });
    return undefined;
  };
  const list = <T>(heading: string, found: T[] | null): T[] => {
    if (found === null) problems.push({ line, code: 'bad_list', about: heading });
    return found ?? [];
  };
  const type = typeOf(cell('type'));
  if (type === undefined) problems.push({ line, code: 'unknown_type', about: cell('type') });
  const listed = [
    ...list('options', optionsIn(cell('options'))),
    ...optionFields
      .map((field) => [field.slice('option '.length), cell(field)] as const)
      .filter(([, text]) => text !== ''),
  ].map(([label, text]): NamedOption => ({ label, text }));
  const isOfOptions = type !== undefined && isChoice(type);
  const options = type === 'true_false' && listed.length === 0 ? [...TRUE_AND_FALSE] : listed;
  // Many tables have one column for the keys of all types.
  const [correct, answer] = [cell('correct'), cell('answer')];
  const key = isOfOptions ? correct || answer : answer || (options.length === 0 ? correct : '');
  const labels = isOfOptions ? optionsNamed(key, options) : [];
  if (labels.some(({ isKnown }) => !isKnown)) problems.push({ line, code: 'unknown_option', about: key });
  const criteria = list('criteria', criteriaIn(cell('criteria'))).map(([name, marks]) => ({
    name,
    marks: number(marks) ?? 0,
  }));
  const [maxMarks, negative] = [number(cell('max_marks')), number(cell('negative_marks'))];
  const [section, modelAnswer] = [cell('section'), cell('model_answer')];
  const question = draftQuestion({
    label: cell('label') === '' ? String(index + 1) : cell('label'),
    type: type ?? 'long_answer',
    text: cell('text'),
    max_marks: maxMarks ?? 0,
    ...(section === '' ? {} : { section }),
    ...(negative === undefined ? {} : { negative_marks: negative }),
    ...(options.length === 0 ? {} : { options, correct_options: labels.map(({ label }) => label) }),
    ...(key === '' || isOfOptions ? {} : { answer: keysIn(key, type) }),
    ...(modelAnswer === '' ? {} : { model_answer: modelAnswer }),
    ...(criteria.length === 0 ? {} : { rubric: { partial_marking: true, criteria } }),
  });
  return maxMarks === undefined ? { ...question, maxMarks: '' } : question;
};

/** Keys of `numeric` and `one_word`. A decimal comma becomes a point, as in the marks of the same table. */
const keysIn = (cell: string, type: QuestionInput['type'] | undefined): string[] =>
  cell
    .split('|')
    .map((key) => key.trim())
    .map((key) => (type === 'numeric' ? withPoint(key) : key));

/** `3,5` as `3.5`. `1,000` stays, because the comma may stand between thousands. */
const withPoint = (written: string): string =>
  /^[+-]?(?:0,\d+|\d+,(?!\d{3}$)\d+)$/.test(written) ? written.replace(',', '.') : written;
