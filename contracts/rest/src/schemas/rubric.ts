import * as z from 'zod/v4';
import { decimalMarks, longText, requiredShortText, uuid, Warning } from './primitives.ts';

const Criterion = z
  .object({
    name: requiredShortText(255),
    marks: decimalMarks.gt(0).meta({ exclusiveMinimum: 0, description: 'At most 6 decimal places.' }),
    keywords: z.array(longText(255)).max(50).nullish(),
    guidance: longText(2000).nullish(),
  })
  .meta({ id: 'Criterion' });

/**
 * See docs/api/rubrics.md#rules. `packages/rules` checks that marks add up, that names are unique, and the total length
 * of the texts. Bounds: open point `rubric-bounds`.
 */
export const Rubric = z
  .object({
    partial_marking: z.boolean().nullish(),
    criteria: z.array(Criterion).min(1).max(50),
  })
  .meta({ id: 'Rubric', description: 'Numbered criteria whose marks add up to the marks of the question.' });
export type Rubric = z.infer<typeof Rubric>;

/** A rubric in a `PATCH`: unknown fields are refused at any depth (docs/api/conventions.md). */
export const RubricEdit = z
  .strictObject({
    ...Rubric.shape,
    criteria: z
      .array(z.strictObject(Criterion.shape).meta({ id: 'CriterionEdit' }))
      .min(1)
      .max(50),
  })
  .meta({ id: 'RubricEdit', description: 'A rubric; unknown fields are refused.' });

export const RubricList = z
  .object({
    version: z.int(),
    questions: z.array(
      z
        .object({
          question_id: uuid,
          label: z.string(),
          rubric: Rubric.nullable(),
          model_answer: z.string().nullable(),
          source: z.literal('generated').optional(),
        })
        .meta({ id: 'QuestionRubric' }),
    ),
  })
  .meta({ id: 'RubricList' });
export type RubricList = z.infer<typeof RubricList>;

/** Same as the most questions of an exam (docs/api/limits.md#sizes). */
export const MAX_RUBRIC_EDITS = 200;

/** See docs/api/rubrics.md. All edits are applied or none; `null` clears, an absent field keeps. */
export const RubricsEdit = z
  .strictObject({
    questions: z
      .record(
        z.string(),
        z
          .strictObject({
            rubric: RubricEdit.nullable().optional(),
            model_answer: longText(20_000).nullable().optional(),
          })
          .meta({ id: 'QuestionRubricEdit' }),
      )
      .refine((questions) => Object.keys(questions).length <= MAX_RUBRIC_EDITS, {
        error: `At most ${MAX_RUBRIC_EDITS} entries.`,
        params: { code: 'too_long' },
      })
      .meta({ maxProperties: MAX_RUBRIC_EDITS })
      .optional(),
  })
  .meta({ id: 'RubricsEdit', description: 'By question id: what to set, `null` to clear.' });
export type RubricsEdit = z.infer<typeof RubricsEdit>;

export const RubricsEdited = z
  .object({
    version: z.int(),
    questions: z.array(z.object({ question_id: uuid }).meta({ id: 'EditedRubric' })),
    warnings: z.array(Warning).optional(),
  })
  .meta({ id: 'RubricsEdited' });
export type RubricsEdited = z.infer<typeof RubricsEdited>;
