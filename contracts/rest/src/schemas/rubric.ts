import * as z from 'zod/v4';
import { longText, requiredShortText } from './primitives.ts';

/** Spec 2.3. That marks add up and names are unique is a rule of the question that the rubric belongs to. */
export const Rubric = z
  .object({
    partial_marking: z.boolean().nullish(),
    criteria: z
      .array(
        z.object({
          name: requiredShortText(255),
          marks: z.number().gt(0).lte(1000),
          keywords: z.array(longText(255)).max(100).nullish(),
          guidance: longText(4000).nullish(),
        }),
      )
      .min(1)
      .max(100),
  })
  .meta({ id: 'Rubric', description: 'Numbered criteria whose marks add up to the marks of the question.' });
export type Rubric = z.infer<typeof Rubric>;
