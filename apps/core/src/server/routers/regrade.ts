import * as z from 'zod/v4';
import { listOutdated } from '../../marking/regrade/listOutdated.ts';
import { previewRegrade } from '../../marking/regrade/previewRegrade.ts';
import { startRegrade } from '../../marking/regrade/startRegrade.ts';
import { restoreMarks } from '../../marking/review/earlierMarks.ts';
import { reviewerProcedure, router } from '../trpc.ts';

const ofExam = reviewerProcedure.input(z.object({ exam_id: z.string() }));

/** Regrading after a changed rubric or model answer (docs/internal-teams.md). The REST contract has no route for it. */
export const regradeRouter = router({
  preview: ofExam.query(({ ctx, input }) => previewRegrade(ctx.services, ctx.actor, input.exam_id)),
  outdated: ofExam
    .input(z.object({ limit: z.int().gte(1).lte(200).default(50), cursor: z.string().max(2000).optional() }))
    .query(({ ctx, input }) => listOutdated(ctx.services, ctx.actor, input.exam_id, input)),
  start: ofExam
    .input(z.object({ rubric_version: z.int().gte(0) }))
    .mutation(({ ctx, input }) => startRegrade(ctx.services, ctx.actor, input.exam_id, input.rubric_version)),
  restore: reviewerProcedure
    .input(z.object({ submission_id: z.string().max(100) }))
    .mutation(({ ctx, input }) => restoreMarks(ctx.services, ctx.actor, input.submission_id)),
});
