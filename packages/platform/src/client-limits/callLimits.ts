import type { StructureLimits } from './bodyStructure.ts';

/*
 * Limits of the structure of a call to core. JSON.parse takes at most 0.7 s of CPU for MOST_VALUES, and 30 ms for
 * VALUES.
 */

/** Enough for a submission, which has at most 32,000 values. */
const VALUES = 50_000;
/** The largest exam has 632,000 values; the rest is for the objects of its candidates' `metadata`. */
const MOST_VALUES = 750_000;
/** Records of a worker: 400 questions with their criteria and annotations, and the evidence of each. */
const VALUES_OF_RECORD = 400_000;

const VALUES_OF_PROCEDURE: ReadonlyMap<string, number> = new Map([
  ['public.exams.create', MOST_VALUES],
  ['public.desk.exams.save', MOST_VALUES],
  ['public.questions.add', MOST_VALUES],
  ['public.rubrics.edit', MOST_VALUES],
  // 2,000 objects of `metadata` with 240 fields each fill 4 MB.
  ['public.candidates.create', MOST_VALUES],
  ['public.candidates.register', MOST_VALUES],
  ['grading.record', VALUES_OF_RECORD],
]);

/** Client metadata of 2 KB can have about 340 fields. */
const FIELDS = 2000;
/** Client metadata of 2 KB can nest about a thousand levels; all other bodies nest fewer than ten. */
const DEPTH = 1100;
/** The longest text of a client takes 240,000 bytes: 20,000 code points, each written as two escapes. */
const TEXT_BYTES = 1024 * 1024;
/** Fields and levels of a call around the body. */
const ENVELOPE = 20;

/** Limits of the body that the facade takes for a procedure, e.g. `public.exams.create`. */
export const limitsOfBody = (procedure: string): StructureLimits => ({
  values: VALUES_OF_PROCEDURE.get(procedure) ?? VALUES,
  fields: FIELDS,
  depth: DEPTH,
  textBytes: TEXT_BYTES,
});

/** Limits of the whole input of a procedure of core. */
export const limitsOfCall = (procedure: string): StructureLimits => {
  const { values, depth } = limitsOfBody(procedure);
  // Texts and objects of workers have no other bound than the bytes of the call.
  const [fields, textBytes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { values: values + ENVELOPE, fields, depth: depth + ENVELOPE, textBytes };
};
