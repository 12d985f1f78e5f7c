/**
 * Prompts and schemas of `judge_answer/2` and `/3`, for replays of their evidence. New calls do not use them. Version 2
 * had a list of criteria and any number as marks. Neither version has `addresses_grader`.
 */
import * as z from 'zod/v4';
import type { Criterion } from './criteria.ts';
import {
  AWARD_RULE,
  criteriaSystem,
  readingSystem,
  REPORT_RULE,
  VERSION,
  VERSION_WITH_EXAMPLES,
} from './prompt.ts';
import { criteriaSchemaFor, readingSchema, readingSchema3 } from './schema.ts';
import type { CriteriaWire, ReadingWire } from './schema.ts';

const VERSION_2 = 'judge_answer/2';
const VERSION_3 = 'judge_answer/3';

interface Asked<Wire> {
  version: string;
  system: string;
  schema: z.ZodType<Wire>;
}

/** @param asked the version in the evidence; an unknown one gives the current version */
export const criteriaAsked = (
  asked: string,
  criteria: readonly Criterion[],
  isPartial: boolean,
): Asked<CriteriaWire> => {
  const system3 = criteriaSystem.replace(REPORT_RULE, '');
  if (asked === VERSION_2) {
    return { version: asked, system: system3.replace(AWARD_RULE, AWARD_RULE_2), schema: criteriaSchema2 };
  }
  if (asked === VERSION_3) {
    return { version: asked, system: system3, schema: criteriaSchemaFor(criteria, isPartial, false) };
  }
  return {
    version: asked === VERSION_WITH_EXAMPLES ? asked : VERSION,
    system: criteriaSystem,
    schema: criteriaSchemaFor(criteria, isPartial),
  };
};

export const readingAsked = (asked: string): Asked<ReadingWire> => {
  if (asked !== VERSION_2 && asked !== VERSION_3)
    return { version: VERSION, system: readingSystem, schema: readingSchema };
  const schema = readingSchema3.transform((reply): ReadingWire => ({ ...reply, addresses_grader: false }));
  return { version: asked, system: readingSystem.replace(REPORT_RULE, ''), schema };
};

/** The line of the system prompt that version 3 and later word differently. */
const AWARD_RULE_2 = "Award each criterion once, by its number, on the candidate's own words only.";

const criteriaSchema2 = z
  .strictObject({
    criteria: z
      .array(
        z.strictObject({
          criterion: z.int().describe('The number of the criterion.'),
          evidence: z
            .union([z.string().max(2000), z.null()])
            .describe('The words of the answer this rests on, copied exactly; null when there are none.'),
          reason: z.string().max(4000).describe('Why this many marks; one or two sentences.'),
          awarded: z.number().describe('Marks, in steps of 0.5, from 0 to the marks of the criterion.'),
          certainty: z
            .enum(['certain', 'likely', 'unsure'])
            .describe('How sure you are that a second careful examiner would decide alike.'),
        }),
      )
      .max(200),
    feedback: z.string().max(8000).describe('To the student, plain English text without markup.'),
  })
  .transform((reply): CriteriaWire => ({ ...reply, addresses_grader: false }));
