import * as z from 'zod/v4';

/**
 * Constants of the model. A guide carries its own copy, so a later release with other constants predicts the same
 * marks from it. Variances are of shares of the max marks.
 */
export const GuideConstants = z.object({
  version: z.string(),
  /** Variance of the difference that all answers to the question share: the grader's severity. */
  shiftVariance: z.number(),
  /** Variance of the difference that answers share as far as their texts are alike. */
  textVariance: z.number(),
  /** Variance of the teacher's mark on the same text. At least `LEAST_NOISE`, which keeps the matrix invertible. */
  noiseVariance: z.number(),
  /** Weight of word stems in the similarity of two texts; the rest is that of letter n-grams. */
  stemWeight: z.number(),
  shortestGram: z.int().gte(1).lte(20),
  longestGram: z.int().gte(1).lte(20),
  /** Max marks up to which only the same mark counts as agreement (`scale.ts`). */
  exactUpTo: z.number(),
  /** Bound of what one example moves (`bounded.ts`). Absent for marks of the baseline. */
  influence: z
    .object({
      /** Weight per share of the max marks. */
      force: z.number(),
      /** Half a step, in marks. */
      halfStep: z.number(),
      /** Least share that counts as half a step, for questions of many marks. */
      leastShare: z.number(),
      /** Median difference of teacher and prediction, as a share. Above it the bound grows. */
      usualDifference: z.number(),
    })
    .optional(),
});
export type GuideConstants = z.infer<typeof GuideConstants>;

export const LEAST_NOISE = 1e-4;

/**
 * On a question of one mark only the same mark agrees: with a tolerance of 0.5, the mark 0.5 would agree with 0, 0.5
 * and 1.
 */
export const EXACT_UP_TO = 1;

/** For marks of the offline baseline, which does not obey a demand in an answer. */
export const GUIDE_CONSTANTS: GuideConstants = {
  version: 'guide/1',
  shiftVariance: 0.06,
  textVariance: 0.1,
  noiseVariance: 0.02,
  stemWeight: 0.5,
  shortestGram: 2,
  longestGram: 4,
  exactUpTo: EXACT_UP_TO,
};

/** For marks of a model, which may obey a demand in an answer. The bound costs some agreement (decision 051). */
export const MODEL_GUIDE_CONSTANTS: GuideConstants = {
  ...GUIDE_CONSTANTS,
  version: 'guide/2',
  influence: { force: 25, halfStep: 0.25, leastShare: 0.04, usualDifference: 0.15 },
};

/** Number of examples that are used. The time of a fit grows with the cube: 400 take about 40 ms. */
export const MOST_EXAMPLES = 400;
