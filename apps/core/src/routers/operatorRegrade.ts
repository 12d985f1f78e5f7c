import * as z from 'zod/v4';
import { previewRegrade } from '../regrade/previewRegrade.ts';
import { startSample } from '../regrade/sampleRegrade.ts';
import { showSample } from '../regrade/showSample.ts';
import { startRegrade } from '../regrade/startRegrade.ts';
import { controlProcedure, router } from '../trpc.ts';
import { ExamOfOperator, operatorOf } from './operatorActor.ts';

const ofExam = controlProcedure.input(ExamOfOperator);
const ofVersion = ofExam.input(z.object({ rubric_version: z.int().gte(0) }));

/** Regrading after a changed rubric or model answer for the admin CLI (docs/operate/provision.md). */
export const operatorRegradeRouter = router({
  preview: ofExam.query(async ({ ctx: { services }, input }) =>
    previewRegrade(services, await operatorOf(services, input), input.exam_id),
  ),
  sample: ofExam.query(async ({ ctx: { services }, input }) =>
    showSample(services, await operatorOf(services, input), input.exam_id),
  ),
  startSample: ofVersion.mutation(async ({ ctx: { services }, input }) =>
    startSample(services, await operatorOf(services, input), input.exam_id, input.rubric_version),
  ),
  start: ofVersion.mutation(async ({ ctx: { services }, input }) =>
    startRegrade(services, await operatorOf(services, input), input.exam_id, input.rubric_version),
  ),
});
