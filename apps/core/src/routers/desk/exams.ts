import * as z from 'zod/v4';
import { ExamFilter, examOverview, listExamOverviews } from '../../exams/examOverviews.ts';
import { CopyFilter, copiesOfExam } from '../../submissions/copiesOfExam.ts';
import { reviewerProcedure, router } from '../../trpc.ts';

const ofExam = reviewerProcedure.input(z.object({ exam_id: z.string().max(100) }));

/** Exams and their copies as the desk lists them. */
export const deskExamsRouter = router({
  list: reviewerProcedure
    .input(ExamFilter)
    .query(({ ctx, input }) => listExamOverviews(ctx.services, ctx.actor, input)),
  overview: ofExam.query(({ ctx, input }) => examOverview(ctx.services, ctx.actor, input.exam_id)),
  copies: ofExam
    .input(CopyFilter)
    .query(({ ctx, input: { exam_id, ...filter } }) =>
      copiesOfExam(ctx.services, ctx.actor, exam_id, filter),
    ),
});
