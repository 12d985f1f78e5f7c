import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import { operatorActor } from '../../command/audit.ts';
import type { Services } from '../../command/services.ts';
import { controlProcedure } from '../trpc.ts';

/** An exam as the admin CLI names it. If the institute is absent, it is looked up by the exam. */
const ExamOfOperator = z.object({ institute_id: z.uuid().optional(), exam_id: z.uuid() });

/** For an exam that the operator names. @throws DomainFailure exam_not_found */
export const operatorProcedure = controlProcedure.input(ExamOfOperator).use(async ({ ctx, input, next }) => {
  const actor = operatorActor(input.institute_id ?? (await instituteOfExam(ctx.services, input.exam_id)));
  return next({ ctx: { actor } });
});

const instituteOfExam = async ({ database }: Services, examId: string): Promise<string> => {
  const exam = await database.acrossInstitutes((tx) =>
    tx.selectFrom('exams').select('institute_id').where('id', '=', examId).executeTakeFirst(),
  );
  if (exam === undefined) throw new DomainFailure('exam_not_found');
  return exam.institute_id;
};
