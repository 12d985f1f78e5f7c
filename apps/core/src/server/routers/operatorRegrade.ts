import * as z from 'zod/v4';
import { previewRegrade } from '../../marking/regrade/previewRegrade.ts';
import { restoreMarks } from '../../marking/review/earlierMarks.ts';
import { startRegrade } from '../../marking/regrade/startRegrade.ts';
import { router } from '../trpc.ts';
import { operatorProcedure } from './operatorProcedure.ts';

/** Regrading after a changed rubric or model answer for the admin CLI (docs/operate/provision.md). */
export const operatorRegradeRouter = router({
  preview: operatorProcedure.query(({ ctx, input }) =>
    previewRegrade(ctx.services, ctx.actor, input.exam_id),
  ),
  start: operatorProcedure
    .input(z.object({ rubric_version: z.int().gte(0) }))
    .mutation(({ ctx, input }) => startRegrade(ctx.services, ctx.actor, input.exam_id, input.rubric_version)),
  restore: operatorProcedure
    .input(z.object({ submission_id: z.uuid() }))
    .mutation(({ ctx, input }) => restoreMarks(ctx.services, ctx.actor, input.submission_id)),
});
