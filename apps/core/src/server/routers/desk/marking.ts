import * as z from 'zod/v4';
import { once } from '../../../command/idempotency/once.ts';
import { copyOrder, OrderQuery } from '../../../marking/screen/copyOrder.ts';
import { FlagChange, setFlag } from '../../../marking/screen/flags.ts';
import { changeInk, InkChange } from '../../../marking/screen/ink.ts';
import { nextAnswers } from '../../../marking/queue/nextAnswers.ts';
import { questionProgress } from '../../../marking/queue/questionProgress.ts';
import { remarksOfQuestion } from '../../../marking/queue/remarks.ts';
import { keepOpen } from '../../../marking/screen/presence.ts';
import { readChanges } from '../../../marking/screen/readChanges.ts';
import { readScreen } from '../../../marking/screen/readScreen.ts';
import { listShares, shareOut, Sharing } from '../../../marking/sharing/shareOut.ts';
import { withoutAnswer } from '../../../marking/review/readQuestionResult.ts';
import { SeenMark } from '../../../marking/review/seenMark.ts';
import { unapproveSubmission } from '../../../marking/review/unapproveSubmission.ts';
import { withdrawMark } from '../../../marking/review/withdrawMark.ts';
import { reviewerProcedure, router } from '../../trpc.ts';

const ofExam = reviewerProcedure.input(z.object({ exam_id: z.string().max(100) }));
const ofSubmission = reviewerProcedure.input(z.object({ submission_id: z.string().max(100) }));
const ofQuestion = ofSubmission.input(z.object({ question_id: z.string().max(100) }));

/**
 * The marking screen of the desk (docs/desk/marking.md). Marks are set by `submissions.override`, groups of identical
 * answers by `marking.markGroup`, copies are approved by `submissions.approve`, and suggestions come from
 * `guide.suggestions`.
 */
export const deskMarkingRouter = router({
  screen: ofSubmission.query(({ ctx, input }) => readScreen(ctx.services, ctx.actor, input.submission_id)),
  order: reviewerProcedure
    .input(OrderQuery)
    .query(({ ctx, input }) => copyOrder(ctx.services, ctx.actor, input)),
  next: reviewerProcedure
    .input(
      z.object({
        exam_id: z.string().max(100),
        question_id: z.string().max(100),
        limit: z.int().gte(1).lte(20).default(10),
        submission_id: z.uuid().optional(),
        own_only: z.boolean().default(false),
      }),
    )
    .query(({ ctx, input }) => nextAnswers(ctx.services, ctx.actor, input)),
  progress: ofExam.query(({ ctx, input }) => questionProgress(ctx.services, ctx.actor, input)),
  shares: ofExam.query(({ ctx, input }) => listShares(ctx.services, ctx.actor, input.exam_id)),
  share: ofExam
    .input(z.object({ seen: z.string().max(100).nullable(), sharing: Sharing }))
    .mutation(({ ctx, input }) => shareOut(ctx.services, ctx.actor, input)),
  remarks: reviewerProcedure
    .input(z.object({ exam_id: z.string().max(100), question_id: z.string().max(100) }))
    .query(({ ctx, input }) => remarksOfQuestion(ctx.services, ctx.actor, input)),
  changes: ofQuestion.query(({ ctx, input }) => readChanges(ctx.services, ctx.actor, input)),
  withdraw: ofQuestion
    .input(z.object({ seen: SeenMark }))
    .mutation(({ ctx, input: { seen, ...at } }) =>
      once(ctx, async (services) => withoutAnswer(await withdrawMark(services, ctx.actor, at, seen))),
    ),
  unapprove: ofSubmission
    .input(z.object({ seen_marks_revision: z.int() }))
    .mutation(({ ctx, input }) =>
      unapproveSubmission(ctx.services, ctx.actor, input.submission_id, input.seen_marks_revision),
    ),
  flag: reviewerProcedure
    .input(FlagChange)
    .mutation(({ ctx, input }) => setFlag(ctx.services, ctx.actor, input)),
  ink: reviewerProcedure
    .input(InkChange)
    .mutation(({ ctx, input }) => changeInk(ctx.services, ctx.actor, input)),
  keepOpen: ofSubmission.mutation(({ ctx, input }) => keepOpen(ctx.services, ctx.actor, input.submission_id)),
});
