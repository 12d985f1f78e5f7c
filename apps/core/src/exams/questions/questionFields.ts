import { isDeepStrictEqual } from 'node:util';
import type { ExamMode, Question, QuestionInput } from '@evaluation/rest-contract/schemas';
import { labelKey } from '@evaluation/rules';

/** Converts a stored question into the form in which a client sends it. */
export const asSent = ({
  id: _id,
  created_at: _created,
  updated_at: _updated,
  options,
  ...question
}: Question): QuestionInput => ({
  ...question,
  ...(options === undefined ? {} : { options: options.map(({ label, text }) => ({ label, text })) }),
});

/** Marking scheme: fixed once the exam is open. */
export const SCHEME = [
  'label',
  'section',
  'max_marks',
  'negative_marks',
  'options',
  'correct_options',
  'answer',
] as const;
const STORED_ONLY = [
  'parent_label',
  'text',
  'word_limit',
  'expects_diagram',
  'assess_language',
  'tags',
  'external_id',
] as const;
/** All columns of a question; rubric and model answer are stored as versions. */
export const FIELDS = [...SCHEME, ...STORED_ONLY] as const;

/** Properties of the exam on which the meaning of an absent value depends. */
export interface Surroundings {
  mode: ExamMode;
  /** Name of the section that a question without one is in; null without sections. */
  firstSection: string | null;
}

/** Returns true if two values of a field have the same meaning. */
export const isSameField = (
  field: (typeof FIELDS)[number],
  one: unknown,
  other: unknown,
  where: Surroundings,
): boolean => isDeepStrictEqual(normal(field, one, where), normal(field, other, where));

/** Normalises values with the same meaning: absent values, and names that are compared ignoring case. */
const normal = (
  field: (typeof FIELDS)[number],
  value: unknown,
  { mode, firstSection }: Surroundings,
): unknown => {
  if (field === 'negative_marks') return mode === 'handwritten' ? 0 : (value ?? 0);
  if (field === 'options') return Array.isArray(value) ? value.map(withoutId) : (value ?? null);
  if (field !== 'section') return value ?? null;
  const name = value ?? firstSection;
  return typeof name === 'string' ? labelKey(name) : name;
};

const withoutId = (option: unknown): unknown =>
  typeof option === 'object' && option !== null
    ? Object.fromEntries(Object.entries(option).filter(([field]) => field !== 'option_id'))
    : option;
