import * as z from 'zod/v4';
import { readPagesOfSubmission } from '../../../grading/copyPages/pagesOfSubmission.ts';
import { readFinalizeChecklist } from '../../../marking/review/finalizeChecklist.ts';
import { countReviewQueue, listReviewQueue, QueueQuery } from '../../../marking/queue/openSubmissions.ts';
import { reviewerProcedure, router } from '../../trpc.ts';

const Id = z.string().max(100);

export const deskReviewRouter = router({
  queue: reviewerProcedure
    .input(QueueQuery)
    .query(({ ctx, input }) => listReviewQueue(ctx.services, ctx.actor, input)),
  counts: reviewerProcedure.query(({ ctx }) => countReviewQueue(ctx.services, ctx.actor)),
  checklist: reviewerProcedure
    .input(z.object({ exam_id: Id }))
    .query(({ ctx, input }) => readFinalizeChecklist(ctx.services, ctx.actor, input.exam_id)),
  pages: reviewerProcedure
    .input(z.object({ submission_id: Id }))
    .query(({ ctx, input }) => readPagesOfSubmission(ctx.services, ctx.actor, input.submission_id)),
});
