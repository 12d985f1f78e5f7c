import { GradingError } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { claimDrawing, DrawingJob } from '../grading/claimDrawing.ts';
import { claimRun } from '../grading/claimRun.ts';
import { Completion, completeRun, failRun, presignCheckedCopy } from '../grading/finishRun.ts';
import { handBackRun } from '../grading/handBackRun.ts';
import { HeldRun } from '../grading/heldRun.ts';
import { claimInspection, countOpening, recordInspection } from '../grading/inspections.ts';
import {
  heartbeat,
  RecordedQuestion,
  recordAlignment,
  recordPages,
  recordQuestion,
  recordStep,
} from '../grading/record.ts';
import { BegunDrawing, handBackDrawing, presignDrawing, recordDrawing } from '../grading/recordDrawing.ts';
import { gradingProcedure, router } from '../trpc.ts';

const upload = z.object({ upload_id: z.uuid(), institute_id: z.uuid() });

/** For workers: one run, inspection or drawing at a time, named by what they hold. */
export const gradingRouter = router({
  claim: gradingProcedure
    .input(z.object({ run_id: z.uuid(), institute_id: z.uuid(), worker: z.string().max(200) }))
    .mutation(({ ctx, input }) => claimRun(ctx.services, input)),
  heartbeat: gradingProcedure
    .input(z.object({ held: HeldRun }))
    .mutation(({ ctx, input }) => heartbeat(ctx.services, input.held)),
  recordStep: gradingProcedure
    .input(z.object({ held: HeldRun, step: z.enum(['processing', 'reading', 'grading']) }))
    .mutation(({ ctx, input }) => recordStep(ctx.services, input.held, input.step)),
  recordPages: gradingProcedure
    .input(z.object({ held: HeldRun, first_page: z.int().gte(1), pages: z.array(z.unknown()) }))
    .mutation(({ ctx, input }) => recordPages(ctx.services, input.held, input)),
  recordAlignment: gradingProcedure
    .input(z.object({ held: HeldRun, alignment: z.array(z.unknown()) }))
    .mutation(({ ctx, input }) => recordAlignment(ctx.services, input.held, input.alignment)),
  recordQuestion: gradingProcedure
    .input(z.object({ held: HeldRun, result: RecordedQuestion }))
    .mutation(({ ctx, input }) => recordQuestion(ctx.services, input.held, input.result)),
  handBack: gradingProcedure
    .input(z.object({ held: HeldRun }))
    .mutation(({ ctx, input }) => handBackRun(ctx.services, input.held)),
  presignCheckedCopy: gradingProcedure
    .input(z.object({ held: HeldRun, size_bytes: z.int().gte(1) }))
    .mutation(({ ctx, input }) => presignCheckedCopy(ctx.services, input.held, input.size_bytes)),
  complete: gradingProcedure
    .input(z.object({ held: HeldRun, completion: Completion }))
    .mutation(({ ctx, input }) => completeRun(ctx.services, input.held, input.completion)),
  fail: gradingProcedure
    .input(z.object({ held: HeldRun, error: GradingError }))
    .mutation(({ ctx, input }) => failRun(ctx.services, input.held, input.error)),

  claimInspection: gradingProcedure
    .input(upload)
    .mutation(({ ctx, input }) => claimInspection(ctx.services, input)),
  countOpening: gradingProcedure
    .input(upload)
    .mutation(({ ctx, input }) => countOpening(ctx.services, input)),
  recordInspection: gradingProcedure
    .input(
      upload.extend({
        outcome: z.discriminatedUnion('status', [
          z.object({ status: z.literal('ready'), pages: z.int().gte(1), sha256: z.string() }),
          z.object({ status: z.literal('rejected'), reject_reason: z.string().max(1000) }),
        ]),
      }),
    )
    .mutation(({ ctx, input }) => recordInspection(ctx.services, input, input.outcome)),

  claimDrawing: gradingProcedure
    .input(DrawingJob)
    .mutation(({ ctx, input }) => claimDrawing(ctx.services, input)),
  presignDrawing: gradingProcedure
    .input(z.object({ drawing: BegunDrawing, size_bytes: z.int().gte(1) }))
    .mutation(({ ctx, input }) => presignDrawing(ctx.services, input.drawing, input.size_bytes)),
  recordDrawing: gradingProcedure
    .input(z.object({ drawing: BegunDrawing, revision: z.int() }))
    .mutation(({ ctx, input }) => recordDrawing(ctx.services, input.drawing, input.revision)),
  handBackDrawing: gradingProcedure
    .input(z.object({ drawing: BegunDrawing }))
    .mutation(({ ctx, input }) => handBackDrawing(ctx.services, input.drawing)),
});
