import * as z from 'zod/v4';
import { longText, requiredShortText, uuid, Warning } from './primitives.ts';

const Criterion = z.object({
  name: requiredShortText(255),
  marks: z.number().gt(0).lte(1000),
  keywords: z.array(longText(255)).max(100).nullish(),
  guidance: longText(4000).nullish(),
});

/**
 * Spec 2.3. That marks add up and names are unique is a rule of the question that the rubric belongs to. The spec gives
 * no bounds of names, keywords, guidance and their number: these are far beyond any rubric a person writes, and keep
 * the body and the prompt of a grader finite.
 */
export const Rubric = z
  .object({
    partial_marking: z.boolean().nullish(),
    criteria: z.array(Criterion).min(1).max(100),
  })
  .meta({ id: 'Rubric', description: 'Numbered criteria whose marks add up to the marks of the question.' });
export type Rubric = z.infer<typeof Rubric>;

/** The same in a `PATCH`, where unknown fields are refused however deep they stand (spec chapter 1). */
export const RubricEdit = z
  .strictObject({
    ...Rubric.shape,
    criteria: z.array(z.strictObject(Criterion.shape)).min(1).max(100),
  })
  .meta({ id: 'RubricEdit', description: 'A rubric; unknown fields are refused.' });

/** The rubrics and model answers of an exam's long answers at the current version (open point `rubric-list`). */
export const RubricList = z
  .object({
    version: z.int(),
    questions: z.array(
      z.object({
        question_id: uuid,
        label: z.string(),
        rubric: Rubric.nullable(),
        model_answer: z.string().nullable(),
        source: z.literal('generated').optional(),
      }),
    ),
  })
  .meta({ id: 'RubricList' });
export type RubricList = z.infer<typeof RubricList>;

/** Spec 4.4: all or nothing; `null` clears, left out keeps. */
export const RubricsEdit = z
  .strictObject({
    questions: z
      .record(
        z.string(),
        z.strictObject({
          rubric: RubricEdit.nullable().optional(),
          model_answer: longText(20_000).nullable().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'RubricsEdit', description: 'By question id: what to set, `null` to clear.' });
export type RubricsEdit = z.infer<typeof RubricsEdit>;

export const RubricsEdited = z
  .object({
    version: z.int(),
    questions: z.array(z.object({ question_id: uuid })),
    warnings: z.array(Warning).optional(),
  })
  .meta({ id: 'RubricsEdited' });
export type RubricsEdited = z.infer<typeof RubricsEdited>;
