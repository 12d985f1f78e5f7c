import { MARK_STEP } from '@evaluation/rules';
import { LRUCache } from 'lru-cache';
import * as z from 'zod/v4';

const certainty = z
  .enum(['certain', 'likely', 'unsure'])
  .describe('How sure you are that a second careful examiner would decide alike.');
const evidence = z
  .union([z.string().max(2000), z.null()])
  .describe('The words of the answer this rests on, copied exactly; null when there are none.');

export interface CriteriaWire {
  criteria: {
    criterion: number;
    evidence: string | null;
    reason: string;
    awarded: number;
    certainty: 'certain' | 'likely' | 'unsure';
  }[];
  /** Whether the model reports that the answer addresses its grader. */
  addresses_grader: boolean;
  feedback: string;
}

/** Strict mode takes 1000 enumeration values in a schema, older servers 500, including those of `certainty`. */
const MOST_LISTED_MARKS = 250;

/** The system prompt describes these fields once for all criteria. */
const award = z.strictObject({
  evidence: z.union([z.string().max(2000), z.null()]),
  reason: z.string().max(4000),
  awarded: z.number(),
  certainty: z.enum(['certain', 'likely', 'unsure']),
});

/**
 * Schema of the reply to a long answer: keys `criterion_1` to `criterion_N`, with the allowed marks of each criterion
 * as an enumeration. A model held to the schema can neither omit a criterion nor award marks out of range; weak models
 * do both with a list and a number. Keys contain numbers only, so no text of a teacher becomes a key.
 *
 * Parsing accepts marks out of range and unknown criteria, for endpoints that do not enforce the schema; `settleLook`
 * corrects and reports them.
 */
export const criteriaSchemaFor = (
  criteria: readonly { marks: number }[],
  isPartial: boolean,
): z.ZodType<CriteriaWire> => {
  const key = JSON.stringify([criteria.map(({ marks }) => marks), isPartial]);
  const known = schemas.get(key);
  if (known !== undefined) return known;
  const made = makeSchema(criteria, isPartial);
  schemas.set(key, made);
  return made;
};

/** A question has one schema; an exam has some dozens. */
const MOST_SCHEMAS = 500;

/** Schemas by their marks. A new schema costs more CPU time than the reply that it parses: zod compiles it. */
const schemas = new LRUCache<string, z.ZodType<CriteriaWire>>({ max: MOST_SCHEMAS });

const makeSchema = (criteria: readonly { marks: number }[], isPartial: boolean): z.ZodType<CriteriaWire> => {
  const listed = listedMarks(criteria, isPartial);
  const keys = criteria.map(({ marks }, index) => {
    const enumeration = listed?.[index];
    const awarded =
      enumeration === undefined
        ? z.number().describe(`In steps of ${MARK_STEP}, from 0 to ${marks}.`)
        : z.number().meta({ enum: enumeration });
    return [keyOf(index + 1), award.extend({ awarded })] as const;
  });
  return z
    .looseObject({
      ...Object.fromEntries(keys),
      addresses_grader: z.boolean(),
      feedback: z.string().max(8000).describe('To the student, plain English text without markup.'),
    })
    .meta({ additionalProperties: false })
    .transform((reply, context): CriteriaWire => {
      const awards = Object.entries(reply).flatMap(([key, value]) => {
        if (key === 'feedback' || key === 'addresses_grader') return [];
        const [, number] = /^criterion_(\d{1,4})$/.exec(key) ?? [];
        const read = award.safeParse(value).data;
        if (number !== undefined && read !== undefined) return [{ criterion: Number(number), ...read }];
        context.addIssue({ code: 'custom', message: `Unrecognized key: "${key}"`, input: reply });
        return [];
      });
      return { criteria: awards, addresses_grader: reply.addresses_grader, feedback: reply.feedback };
    });
};

const keyOf = (number: number): string => `criterion_${number}`;

/** Allowed marks of each criterion; null if they are too many to enumerate, or no multiples of `MARK_STEP`. */
const listedMarks = (criteria: readonly { marks: number }[], isPartial: boolean): number[][] | null => {
  const listed: number[][] = [];
  let count = 0;
  for (const { marks } of criteria) {
    const steps = marks === 0 ? 0 : isPartial ? marks / MARK_STEP : 1;
    count += steps + 1;
    if (!Number.isInteger(steps) || count > MOST_LISTED_MARKS) return null;
    listed.push(Array.from({ length: steps + 1 }, (_, step) => step * (marks / Math.max(steps, 1))));
  }
  return listed;
};

export const readingSchema = z.strictObject({
  status: z.enum(['answered', 'no_answer', 'unclear']),
  evidence,
  option_labels: z
    .array(z.string().max(80))
    .max(30)
    .describe('Labels chosen, copied from the options; [] if there are no options.'),
  value: z
    .union([z.string().max(500), z.null()])
    .describe('The final number or word given; null for a choice among options.'),
  certainty,
  feedback_if_right: z
    .string()
    .max(4000)
    .describe('To the student if the answer proves right; plain English text.'),
  feedback_if_wrong: z
    .string()
    .max(4000)
    .describe('To the student if the answer proves wrong; plain English text.'),
  addresses_grader: z.boolean(),
});

export type ReadingWire = z.infer<typeof readingSchema>;
