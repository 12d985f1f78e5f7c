import type { ExamCreate } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { once } from '../../../command/idempotency/once.ts';
import { createExam } from '../../../exams/createExam.ts';
import { showExamForm } from '../../../exams/examForm.ts';
import { assignExaminers, listExaminers } from '../../../exams/examiners.ts';
import { saveExam, type ExamSaveBody } from '../../../exams/saveExam.ts';
import { ExamFilter, examOverview, listExamOverviews } from '../../../exams/examOverviews.ts';
import { BookQuery, markBook } from '../../../submissions/markBook.ts';
import { reviewerProcedure, router } from '../../trpc.ts';

const ofExam = reviewerProcedure.input(z.object({ exam_id: z.string().max(100) }));

export const deskExamsRouter = router({
  list: reviewerProcedure
    .input(ExamFilter)
    .query(({ ctx, input }) => listExamOverviews(ctx.services, ctx.actor, input)),
  overview: ofExam.query(({ ctx, input }) => examOverview(ctx.services, ctx.actor, input.exam_id)),
  form: ofExam.query(({ ctx, input }) => showExamForm(ctx.services, ctx.actor, input.exam_id)),
  save: ofExam
    // The command checks the body after the state of the exam.
    .input(z.object({ seen: z.string().max(100), body: z.custom<ExamSaveBody>(() => true) }))
    .mutation(({ ctx, input }) => once(ctx, (services) => saveExam(services, ctx.actor, input))),
  /** An exam for trying the service. The body is that of `exams.create`. */
  createSample: reviewerProcedure
    // The command checks the body.
    .input(z.object({ body: z.custom<z.input<typeof ExamCreate>>(() => true) }))
    .mutation(({ ctx, input }) =>
      once(ctx, (services) => createExam(services, ctx.actor, input.body, { isSample: true })),
    ),
  examiners: ofExam.query(({ ctx, input }) => listExaminers(ctx.services, ctx.actor, input.exam_id)),
  assign: ofExam
    .input(z.object({ staff_ids: z.array(z.uuid()).max(1000) }))
    .mutation(({ ctx, input }) => assignExaminers(ctx.services, ctx.actor, input.exam_id, input.staff_ids)),
  markBook: ofExam
    .input(BookQuery)
    .query(({ ctx, input: { exam_id, ...query } }) => markBook(ctx.services, ctx.actor, exam_id, query)),
});
