import * as z from 'zod/v4';
import {
  clientId,
  clientObject,
  decimalMarks,
  include,
  longText,
  maxMarks,
  requiredLongText,
  requiredShortText,
  shortText,
  timestamp,
  uuid,
  Warning,
} from './primitives.ts';
import { Rubric, RubricEdit } from './rubric.ts';

export const QuestionType = z.enum([
  'mcq_single',
  'mcq_multi',
  'true_false',
  'numeric',
  'one_word',
  'long_answer',
]);
export type QuestionType = z.infer<typeof QuestionType>;

const OptionInput = z
  .object({ label: requiredShortText(16), text: longText(2000) })
  .meta({ id: 'OptionInput' });

const NumberOrText = z
  .union([z.number(), z.string()])
  .meta({ id: 'NumberOrText', description: 'A number, or its text.' });

const AnswerKey = z.union([z.number(), z.string(), z.array(NumberOrText)]).meta({
  id: 'AnswerKey',
  description:
    'A number, its text, or a list of accepted numbers and texts: the key of a `numeric` question; the text of a `one_word` question.',
});

const NumberOrTextInput = z
  .union([z.number(), longText(255)])
  .meta({ id: 'NumberOrTextInput', description: 'A number, or its text.' });

const AnswerKeyInput = z.union([z.number(), longText(255), z.array(NumberOrTextInput).min(1).max(100)]).meta({
  id: 'AnswerKeyInput',
  description:
    'A number, its text, or a list of accepted numbers and texts for `numeric`; a text for `one_word`.',
});

/**
 * Fields and their limits: docs/api/questions.md#fields. Rules between fields (the key that a type needs, labels that
 * must exist, marks that must add up) are in `packages/rules`, which sees the whole paper.
 */
export const QuestionInput = z
  .object({
    label: requiredShortText(16),
    parent_label: shortText(16).nullish(),
    section: requiredShortText(64).nullish(),
    type: QuestionType,
    text: requiredLongText(20_000),
    max_marks: maxMarks,
    negative_marks: decimalMarks
      .gte(0)
      .meta({ minimum: 0, description: 'At most 6 decimal places.' })
      .nullish(),
    options: z.array(OptionInput).min(2).max(26).nullish(),
    correct_options: z.array(z.string()).min(1).max(26).nullish(),
    answer: AnswerKeyInput.nullish(),
    model_answer: longText(20_000).nullish(),
    rubric: Rubric.nullish(),
    word_limit: z.int().gt(0).lte(1_000_000).nullish(),
    expects_diagram: z.boolean().nullish(),
    assess_language: z.boolean().nullish(),
    tags: clientObject.nullish(),
    external_id: clientId.nullish(),
  })
  .meta({ id: 'QuestionInput', description: 'A question of the paper, with its answer key or its rubric.' });
export type QuestionInput = z.infer<typeof QuestionInput>;

/** A question in the exam (docs/api/exams.md#fields); `options` only for choice types. */
export const CompactQuestion = z
  .object({
    id: uuid,
    label: z.string(),
    section: z.string(),
    max_marks: z.number(),
    options: z
      .array(z.object({ label: z.string(), option_id: uuid }).meta({ id: 'CompactOption' }))
      .optional(),
  })
  .meta({ id: 'CompactQuestion' });
export type CompactQuestion = z.infer<typeof CompactQuestion>;

export const Question = z
  .object({
    id: uuid,
    label: z.string(),
    parent_label: z.string().nullable(),
    section: z.string(),
    type: QuestionType,
    text: z.string(),
    max_marks: z.number(),
    negative_marks: z.number(),
    options: z
      .array(
        z.object({ label: z.string(), text: z.string(), option_id: uuid }).meta({ id: 'QuestionOption' }),
      )
      .optional(),
    correct_options: z.array(z.string()).optional(),
    answer: AnswerKey.optional(),
    model_answer: z.string().nullable().optional(),
    rubric: Rubric.nullable().optional(),
    word_limit: z.int().nullable(),
    expects_diagram: z.boolean().nullable(),
    assess_language: z.boolean().nullable(),
    tags: clientObject.nullable(),
    external_id: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Question' });
export type Question = z.infer<typeof Question>;

export const QuestionList = z.object({ questions: z.array(Question) }).meta({ id: 'QuestionList' });
export type QuestionList = z.infer<typeof QuestionList>;

export const QuestionListQuery = z.object({ include: include('rubric', 'model_answer') });
export type QuestionListQuery = z.infer<typeof QuestionListQuery>;

export const QuestionsAdd = z
  .object({ questions: z.array(QuestionInput).min(1).max(200) })
  .meta({ id: 'QuestionsAdd', description: 'Questions to add at the end of a draft paper, all or none.' });
export type QuestionsAdd = z.infer<typeof QuestionsAdd>;

export const QuestionsAdded = z
  .object({ questions: z.array(Question), warnings: z.array(Warning) })
  .meta({ id: 'QuestionsAdded' });
export type QuestionsAdded = z.infer<typeof QuestionsAdded>;

/**
 * An edit of a question: sent fields replace, `null` clears a field that may be empty, unknown fields are refused at
 * any depth. `type` cannot be changed (docs/api/questions.md#fields), so it is not a field.
 */
export const QuestionEdit = z
  .strictObject({
    ...QuestionInput.omit({ type: true }).shape,
    // Accepts options as they were read, with `option_id`.
    options: z
      .array(z.strictObject({ ...OptionInput.shape, option_id: uuid.nullish() }).meta({ id: 'OptionEdit' }))
      .min(2)
      .max(26)
      .nullish(),
    rubric: RubricEdit.nullish(),
  })
  .partial()
  .meta({ id: 'QuestionEdit', description: 'The fields to change; an empty object changes nothing.' });
export type QuestionEdit = z.infer<typeof QuestionEdit>;

export const QuestionEdited = z
  .object({ ...Question.shape, warnings: z.array(Warning) })
  .meta({ id: 'QuestionEdited' });
export type QuestionEdited = z.infer<typeof QuestionEdited>;
