import type * as schemas from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { markGroup } from '../../marking/groups/markGroup.ts';
import { answerGroups, nextToMark } from '../../marking/queue/nextAnswers.ts';
import { reviewerProcedure, router } from '../trpc.ts';

const ofQuestion = reviewerProcedure.input(z.object({ exam_id: z.string(), question_id: z.string() }));
const Sameness = z.enum(['text', 'content']).default('text');

/** Which answers a teacher marks next, and one mark for identical answers. The REST contract has no route for it. */
export const markingRouter = router({
  next: ofQuestion
    .input(z.object({ limit: z.int().gte(1).lte(20).default(10) }))
    .query(({ ctx, input }) => nextToMark(ctx.services, ctx.actor, input)),
  groups: ofQuestion
    .input(
      z.object({
        sameness: Sameness,
        limit: z.int().gte(1).lte(100).default(20),
        after: z.uuid().optional(),
      }),
    )
    .query(({ ctx, input }) => answerGroups(ctx.services, ctx.actor, input)),
  markGroup: ofQuestion
    .input(
      z.object({
        sameness: Sameness,
        submission_ids: z.array(z.uuid()).min(1).max(50),
        body: z.custom<z.input<typeof schemas.MarkOverride>>(() => true),
      }),
    )
    .mutation(({ ctx, input }) => markGroup(ctx.services, ctx.actor, input)),
});
