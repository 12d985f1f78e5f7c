import { staffActor, type StaffActor } from '@evaluation/signed-actor';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import type { Services } from '../services.ts';

/** An exam as the admin CLI names it. Without an institute, that of the exam is looked up. */
export const ExamOfOperator = z.object({ institute_id: z.uuid().optional(), exam_id: z.uuid() });

/** The operator has no account: the audit shows this id with the role `operator`. */
const OPERATOR_ID = '00000000-0000-0000-0000-000000000000';

/** @throws DomainFailure exam_not_found */
export const operatorOf = async (
  services: Services,
  { institute_id, exam_id }: z.infer<typeof ExamOfOperator>,
): Promise<StaffActor> =>
  staffActor({
    institute_id: institute_id ?? (await instituteOfExam(services, exam_id)),
    staff_id: OPERATOR_ID,
    role: 'operator',
    scopes: ['evaluation:review'],
  });

const instituteOfExam = async ({ database }: Services, examId: string): Promise<string> => {
  const exam = await database.acrossInstitutes((tx) =>
    tx.selectFrom('exams').select('institute_id').where('id', '=', examId).executeTakeFirst(),
  );
  if (exam === undefined) throw new DomainFailure('exam_not_found');
  return exam.institute_id;
};
