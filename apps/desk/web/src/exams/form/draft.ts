import type { ExamCreate, QuestionInput } from '@evaluation/rest-contract/schemas';
import { newKey } from '../../app/newKey.ts';

/*
 * The form of an exam while a teacher fills it in. Numbers may be empty, and a question keeps the fields of other
 * types, so that a change of the type and back loses nothing. `requests.ts` makes the request from it; the index of a
 * section or question in the form is its index in the request, so that problems of the API find their field.
 */

type Amount = number | '';

export interface DraftCriterion {
  key: string;
  name: string;
  marks: Amount;
  /** See keywords.ts. */
  keywords: string;
  guidance: string;
}

export interface DraftOption {
  key: string;
  label: string;
  text: string;
  isCorrect: boolean;
}

export interface DraftQuestion {
  key: string;
  /** Id of a stored question; null for a new one. */
  id: string | null;
  label: string;
  section: string;
  type: QuestionInput['type'];
  text: string;
  maxMarks: Amount;
  negativeMarks: Amount;
  options: DraftOption[];
  /** Accepted answers of `numeric` and `one_word`, one a line for `numeric`. */
  answer: string;
  modelAnswer: string;
  hasRubric: boolean;
  partialMarking: boolean;
  criteria: DraftCriterion[];
  /** Fields that the form does not show; they are sent as they were read. */
  rest: Partial<QuestionInput>;
}

interface DraftSection {
  key: string;
  name: string;
}

/** Optional texts of an exam, with their names in the API. The form holds an absent text as an empty one. */
export const EXAM_TEXTS = [
  'subject',
  'class',
  'board',
  'conducted_on',
  'external_ref',
  'instructions',
] as const satisfies (keyof ExamCreate)[];
export type ExamText = (typeof EXAM_TEXTS)[number];

export interface ExamDraft extends Record<ExamText, string> {
  title: string;
  mode: ExamCreate['mode'];
  level: NonNullable<ExamCreate['level']>;
  blind: boolean;
  /** Declared sections in their order. Without any, the sections are those that the questions name. */
  sections: DraftSection[];
  /** Choice groups of a file that was read. They are sent, and the service refuses them with a reason. */
  choiceGroups: readonly unknown[];
  questions: DraftQuestion[];
}

/** Changes the form as it is then: a change may come while another one waits to be drawn. */
export type ChangeExam = (change: (draft: ExamDraft) => ExamDraft) => void;

export const emptyCriterion = (): DraftCriterion => ({
  key: newKey(),
  name: '',
  marks: '',
  keywords: '',
  guidance: '',
});

export const emptyOption = (label: string): DraftOption => ({
  key: newKey(),
  label,
  text: '',
  isCorrect: false,
});

export const emptyQuestion = (label: string): DraftQuestion => ({
  key: newKey(),
  id: null,
  label,
  section: '',
  type: 'long_answer',
  text: '',
  maxMarks: '',
  negativeMarks: '',
  options: [emptyOption('A'), emptyOption('B')],
  answer: '',
  modelAnswer: '',
  hasRubric: false,
  partialMarking: true,
  criteria: [],
  rest: {},
});

export const examTexts = <Value extends string>(
  valueOf: (name: ExamText) => Value,
): Record<ExamText, Value> =>
  Object.fromEntries(EXAM_TEXTS.map((name) => [name, valueOf(name)])) as Record<ExamText, Value>;

export const emptyExam = (blind: boolean): ExamDraft => ({
  ...examTexts(() => ''),
  title: '',
  mode: 'handwritten',
  level: 'school',
  blind,
  sections: [],
  choiceGroups: [],
  questions: [emptyQuestion('1')],
});

/** Label after the last one: the next number if the labels are numbers. */
export const nextLabel = (questions: readonly DraftQuestion[]): string => {
  const numbers = questions.map(({ label }) => Number.parseInt(label, 10)).filter(Number.isFinite);
  return String(Math.max(0, ...numbers) + 1);
};

export const isChoice = (type: QuestionInput['type']): boolean =>
  type === 'mcq_single' || type === 'mcq_multi' || type === 'true_false';

/** Gives a question the fields that its new type needs. */
export const withType = (question: DraftQuestion, type: QuestionInput['type']): DraftQuestion => {
  if (type !== 'true_false') return { ...question, type };
  const [first, second] = question.options;
  const kept = question.options.length === 2 && first !== undefined && second !== undefined;
  const named = (option: DraftOption, text: string): DraftOption =>
    option.text === '' ? { ...option, text } : option;
  return {
    ...question,
    type,
    options: kept
      ? [named(first, 'True'), named(second, 'False')]
      : [
          { ...emptyOption('A'), text: 'True' },
          { ...emptyOption('B'), text: 'False' },
        ],
  };
};

export const totalMarks = (questions: readonly DraftQuestion[]): number =>
  questions.reduce((sum, { maxMarks }) => sum + (maxMarks === '' ? 0 : maxMarks), 0);

/** Marks of the criteria together, to be compared with those of the question. Sums of six decimal places are exact. */
export const criteriaMarks = (criteria: readonly DraftCriterion[]): number =>
  Math.round(criteria.reduce((sum, { marks }) => sum + (marks === '' ? 0 : marks), 0) * 1e6) / 1e6;
