import * as z from 'zod/v4';
import { readMarksByPerson } from '../../../marking/statistics/marksByPerson.ts';
import { readAgreement } from '../../../marking/statistics/agreementOfExam.ts';
import { readMarksDistribution } from '../../../marking/statistics/marksDistribution.ts';
import { readLearning } from '../../../marking/statistics/readLearning.ts';
import { MarksQuery, readMarksOfExam } from '../../../submissions/marksOfExam.ts';
import { reviewerProcedure, router } from '../../trpc.ts';

const Id = z.string().max(100);
const ofExam = reviewerProcedure.input(z.object({ exam_id: Id }));

export const deskStatisticsRouter = router({
  agreement: ofExam.query(({ ctx, input }) => readAgreement(ctx.services, ctx.actor, input.exam_id)),
  distribution: ofExam.query(({ ctx, input }) =>
    readMarksDistribution(ctx.services, ctx.actor, input.exam_id),
  ),
  people: ofExam.query(({ ctx, input }) => readMarksByPerson(ctx.services, ctx.actor, input.exam_id)),
  learning: ofExam
    .input(z.object({ question_id: Id }))
    .query(({ ctx, input }) => readLearning(ctx.services, ctx.actor, input)),
  marks: ofExam
    .input(MarksQuery)
    .query(({ ctx, input: { exam_id, ...query } }) =>
      readMarksOfExam(ctx.services, ctx.actor, exam_id, query),
    ),
});
