import * as z from 'zod/v4';
import { previewRegrade } from '../../marking/regrade/previewRegrade.ts';
import { startSample } from '../../marking/regrade/sampleRegrade.ts';
import { showSample } from '../../marking/regrade/showSample.ts';
import { startRegrade } from '../../marking/regrade/startRegrade.ts';
import { router } from '../trpc.ts';
import { operatorProcedure } from './operatorProcedure.ts';

const ofVersion = operatorProcedure.input(z.object({ rubric_version: z.int().gte(0) }));

/** Regrading after a changed rubric or model answer for the admin CLI (docs/operate/provision.md). */
export const operatorRegradeRouter = router({
  preview: operatorProcedure.query(({ ctx, input }) =>
    previewRegrade(ctx.services, ctx.actor, input.exam_id),
  ),
  sample: operatorProcedure.query(({ ctx, input }) => showSample(ctx.services, ctx.actor, input.exam_id)),
  startSample: ofVersion.mutation(({ ctx, input }) =>
    startSample(ctx.services, ctx.actor, input.exam_id, input.rubric_version),
  ),
  start: ofVersion.mutation(({ ctx, input }) =>
    startRegrade(ctx.services, ctx.actor, input.exam_id, input.rubric_version),
  ),
});
