import { Rubric } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { claimDrawing, DrawingJob, LARGEST_COUNT } from '../../files/claimDrawing.ts';
import { claimRun, RunToClaim } from '../../grading/runs/claimRun.ts';
import { presignCheckedCopy } from '../../grading/runs/completeRun.ts';
import { failRun } from '../../grading/runs/failRun.ts';
import { handBackRun } from '../../grading/runs/handBackRun.ts';
import { HeldRun } from '../../command/locks/heldRun.ts';
import { Heading, recordHeading } from '../../files/headings.ts';
import {
  ClaimedInspection,
  claimInspection,
  countOpening,
  InspectionOutcome,
  InspectionJob,
  recordInspection,
} from '../../files/inspections.ts';
import { RecordedBatch } from '../../grading/runs/recordedBatch.ts';
import { heartbeat, recordBatch } from '../../grading/runs/record.ts';
import {
  BegunDrawing,
  failDrawing,
  handBackDrawing,
  presignDrawing,
  recordDrawing,
} from '../../files/recordDrawing.ts';
import { UsedByRun } from '../../grading/runs/usedByRun.ts';
import {
  DrawingBytes,
  FailureOfWorker,
  PagePictures,
  UncheckedEvidence,
} from '../../command/workerCalls/workerInput.ts';
import { beginRubric, giveUpRubric, recordRubric } from '../../grading/runs/generateRubric.ts';
import { gradingProcedure, router } from '../trpc.ts';
import { ExhaustedSeconds } from '../../files/exhaustedTime.ts';

/** Procedures of workers. Each call names the run, inspection or drawing that the worker holds. */
export const gradingRouter = router({
  claim: gradingProcedure.input(RunToClaim).mutation(({ ctx, input }) => claimRun(ctx.services, input)),
  heartbeat: gradingProcedure
    .input(z.object({ held: HeldRun }))
    .mutation(({ ctx, input }) => heartbeat(ctx.services, input.held)),
  record: gradingProcedure
    .input(RecordedBatch.extend({ held: HeldRun }))
    .mutation(({ ctx, input: { held, ...batch } }) => recordBatch(ctx.services, held, batch)),
  beginRubric: gradingProcedure
    .input(
      z.object({
        held: HeldRun,
        question_id: z.uuid(),
        failures: z.int().gte(0).lte(LARGEST_COUNT).nullable(),
      }),
    )
    .mutation(({ ctx, input }) => beginRubric(ctx.services, input.held, input)),
  recordRubric: gradingProcedure
    .input(
      z.object({
        held: HeldRun,
        question_id: z.uuid(),
        rubric: Rubric,
        evidence: UncheckedEvidence,
        used: UsedByRun,
      }),
    )
    .mutation(({ ctx, input }) => recordRubric(ctx.services, input.held, input)),
  giveUpRubric: gradingProcedure
    .input(z.object({ held: HeldRun, question_id: z.uuid(), used: UsedByRun }))
    .mutation(({ ctx, input }) => giveUpRubric(ctx.services, input.held, input.question_id, input.used)),
  handBack: gradingProcedure
    .input(z.object({ held: HeldRun }))
    .mutation(({ ctx, input }) => handBackRun(ctx.services, input.held)),
  presignCheckedCopy: gradingProcedure
    .input(z.object({ held: HeldRun, size_bytes: DrawingBytes }))
    .mutation(({ ctx, input }) => presignCheckedCopy(ctx.services, input.held, input.size_bytes)),
  fail: gradingProcedure
    .input(
      FailureOfWorker.extend({
        held: HeldRun,
        used: UsedByRun,
        exhausted_seconds: ExhaustedSeconds.optional(),
      }),
    )
    .mutation(({ ctx, input }) =>
      failRun(ctx.services, input.held, input.reason, input.used, input.exhausted_seconds),
    ),

  claimInspection: gradingProcedure
    .input(InspectionJob)
    .mutation(({ ctx, input }) => claimInspection(ctx.services, input)),
  countOpening: gradingProcedure
    .input(ClaimedInspection)
    .mutation(({ ctx, input }) => countOpening(ctx.services, input)),
  recordInspection: gradingProcedure
    .input(ClaimedInspection.extend({ outcome: InspectionOutcome }))
    .mutation(({ ctx, input }) => recordInspection(ctx.services, input, input.outcome)),
  recordHeading: gradingProcedure
    .input(ClaimedInspection.extend({ heading: Heading }))
    .mutation(({ ctx, input }) => recordHeading(ctx.services, input, input.heading)),

  claimDrawing: gradingProcedure
    .input(DrawingJob)
    .mutation(({ ctx, input }) => claimDrawing(ctx.services, input)),
  presignDrawing: gradingProcedure
    .input(z.object({ drawing: BegunDrawing, size_bytes: DrawingBytes }))
    .mutation(({ ctx, input }) => presignDrawing(ctx.services, input.drawing, input.size_bytes)),
  recordDrawing: gradingProcedure
    .input(
      z.object({
        drawing: BegunDrawing,
        revision: z.int().gte(0).lte(LARGEST_COUNT),
        pictures: PagePictures,
      }),
    )
    .mutation(({ ctx, input }) => recordDrawing(ctx.services, input.drawing, input)),
  handBackDrawing: gradingProcedure
    .input(z.object({ drawing: BegunDrawing }))
    .mutation(({ ctx, input }) => handBackDrawing(ctx.services, input.drawing)),
  failDrawing: gradingProcedure
    .input(z.object({ drawing: BegunDrawing }))
    .mutation(({ ctx, input }) => failDrawing(ctx.services, input.drawing)),
});
