import * as z from 'zod/v4';
import { CandidateInput } from './candidate.ts';
import {
  clientId,
  date,
  listOf,
  listQuery,
  longText,
  requiredShortText,
  reserved,
  timestamp,
  uuid,
  Warning,
} from './primitives.ts';
import { CompactQuestion, QuestionInput } from './question.ts';

export const ExamMode = z.enum(['handwritten', 'typed']);
export type ExamMode = z.infer<typeof ExamMode>;

/** English only: `hi` has an error code of its own (docs/api/exams.md#fields). */
const language = z
  .string()
  .refine((value) => value !== 'hi', {
    error: 'Hindi is not supported.',
    params: { failure: 'language_not_supported' },
    abort: true,
  })
  .refine((value) => value === 'en', { error: 'Only "en".', params: { code: 'invalid_value' } })
  .meta({ enum: ['en'] });

const order = z.int().meta({ format: 'int64' });
const section = { name: requiredShortText(64), order };
const MAX_SECTIONS = 20;
const Level = z.enum(['school', 'ug', 'pg', 'upsc']);

export const ExamCreate = z
  .object({
    title: requiredShortText(255),
    mode: ExamMode,
    external_ref: clientId.nullish(),
    conducted_on: date.nullish(),
    subject: longText(120).nullish(),
    level: Level.nullish(),
    board: longText(64).nullish(),
    class: longText(32).nullish(),
    instructions: longText(4000).nullish(),
    answer_language: language.nullish(),
    feedback_language: language.nullish(),
    blind: z.boolean().nullish(),
    open: z.boolean().nullish(),
    sections: z
      .array(z.object(section).meta({ id: 'SectionInput' }))
      .max(MAX_SECTIONS)
      .nullish(),
    questions: z.array(QuestionInput).max(200).nullish(),
    candidates: z.array(CandidateInput).max(2000).nullish(),
    choice_groups: reserved('Choice groups'),
  })
  .meta({ id: 'ExamCreate', description: 'An exam: its paper, and the candidates who sit it.' });
export type ExamCreate = z.infer<typeof ExamCreate>;

/** Price of the exam's copies: per page if handwritten, per long answer if typed. */
export const ExamQuote = z
  .object({
    unit: z.enum(['page', 'answer']),
    credits_per_page: z.number(),
    rate_source: z.enum(['standard', 'contract']),
  })
  .meta({ id: 'ExamQuote' });
export type ExamQuote = z.infer<typeof ExamQuote>;

export const ExamStatus = z.enum(['draft', 'open', 'finalized', 'deleted']);
export type ExamStatus = z.infer<typeof ExamStatus>;

export const Exam = z
  .object({
    id: uuid,
    status: ExamStatus,
    title: z.string(),
    mode: ExamMode,
    external_ref: z.string().nullable(),
    conducted_on: z.string().meta({ format: 'date' }),
    subject: z.string().nullable(),
    level: z.string(),
    board: z.string().nullable(),
    class: z.string().nullable(),
    instructions: z.string().nullable(),
    answer_language: z.string(),
    feedback_language: z.string(),
    blind: z.boolean(),
    sections: z.array(z.object({ name: z.string(), order }).meta({ id: 'Section' })),
    total_marks: z.number(),
    paper_max: z.number(),
    question_count: z.int(),
    dashboard_url: z.string(),
    questions: z.array(CompactQuestion),
    choice_groups: z.array(z.unknown()),
    rubric: z
      .object({
        version: z.int().optional(),
        sync: z.literal('pending').optional(),
        locked: z.boolean(),
        questions_with_rubric: z.int(),
        questions_without_rubric: z.int(),
      })
      .meta({ id: 'ExamRubric' }),
    quote: ExamQuote.optional(),
    warnings: z.array(Warning),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Exam' });
export type Exam = z.infer<typeof Exam>;

/**
 * An edit of an exam: sent fields replace, `null` clears a field that may be empty, unknown fields are refused
 * (docs/api/conventions.md; method, path and body: open point `exam-edit`). `packages/rules` decides what each status
 * allows.
 */
export const ExamEdit = z
  .strictObject({
    title: requiredShortText(255),
    mode: ExamMode,
    external_ref: clientId.nullable(),
    conducted_on: date,
    subject: longText(120).nullable(),
    level: Level,
    board: longText(64).nullable(),
    class: longText(32).nullable(),
    instructions: longText(4000).nullable(),
    answer_language: language,
    feedback_language: language,
    blind: z.boolean(),
    sections: z.array(z.strictObject(section).meta({ id: 'SectionEdit' })).max(MAX_SECTIONS),
  })
  .partial()
  .meta({ id: 'ExamEdit', description: 'The fields to change; an empty object changes nothing.' });
export type ExamEdit = z.infer<typeof ExamEdit>;

/** Opening needs no field; sent fields are ignored (open point `exam-open-body`). */
export const ExamOpen = z.object({});
export type ExamOpen = z.infer<typeof ExamOpen>;

/** See open point `exam-list-items`. */
export const ExamListItem = Exam.omit({ questions: true }).meta({ id: 'ExamListItem' });
export type ExamListItem = z.infer<typeof ExamListItem>;

export const ExamList = listOf(ExamListItem).meta({ id: 'ExamList' });
export type ExamList = z.infer<typeof ExamList>;

export const ExamListQuery = z.object(listQuery(200, 50));
export type ExamListQuery = z.infer<typeof ExamListQuery>;

export const ExamSearch = z
  .object({ external_ref: clientId })
  .meta({ id: 'ExamSearch', description: 'Your own reference of the exam.' });
export type ExamSearch = z.infer<typeof ExamSearch>;

export const ExamsFound = z.object({ data: z.array(ExamListItem) }).meta({ id: 'ExamsFound' });
export type ExamsFound = z.infer<typeof ExamsFound>;
