import { staffActor, type StaffActor } from '@evaluation/signed-actor';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import { ApplicationNumber } from '../guideCommands/applications.ts';
import { applyGuide, undoGuide } from '../guideCommands/applyGuide.ts';
import { previewGuide } from '../guideCommands/previewGuide.ts';
import { GuideChange, setGuide } from '../guideCommands/settings.ts';
import { showGuide } from '../guideCommands/showGuide.ts';
import { SuggestionQuery, suggestMarks } from '../guideCommands/suggestMarks.ts';
import type { Services } from '../services.ts';
import { controlProcedure, router } from '../trpc.ts';

const ofExam = controlProcedure.input(z.object({ institute_id: z.uuid().optional(), exam_id: z.uuid() }));
const numbered = ofExam.input(z.object({ number: ApplicationNumber }));

/** The operator has no account: the audit shows this id with the role `operator`. */
const OPERATOR_ID = '00000000-0000-0000-0000-000000000000';
const operatorOf = async (
  services: Services,
  { institute_id, exam_id }: { institute_id?: string | undefined; exam_id: string },
): Promise<StaffActor> =>
  staffActor({
    institute_id: institute_id ?? (await instituteOfExam(services, exam_id)),
    staff_id: OPERATOR_ID,
    role: 'operator',
    scopes: ['evaluation:review'],
  });

/** @throws DomainFailure exam_not_found */
const instituteOfExam = async ({ database }: Services, examId: string): Promise<string> => {
  const exam = await database.acrossInstitutes((tx) =>
    tx.selectFrom('exams').select('institute_id').where('id', '=', examId).executeTakeFirst(),
  );
  if (exam === undefined) throw new DomainFailure('exam_not_found');
  return exam.institute_id;
};

/**
 * The guide of an exam for the admin CLI (docs/operate/provision.md). Without an institute, that of the exam is
 * looked up.
 */
export const operatorGuideRouter = router({
  show: ofExam.query(async ({ ctx: { services }, input }) =>
    showGuide(services, await operatorOf(services, input), input.exam_id),
  ),
  set: ofExam
    .input(GuideChange)
    .mutation(async ({ ctx: { services }, input: { institute_id, exam_id, ...change } }) =>
      setGuide(services, await operatorOf(services, { institute_id, exam_id }), exam_id, change),
    ),
  suggestions: ofExam
    .input(SuggestionQuery)
    .query(async ({ ctx: { services }, input: { institute_id, exam_id, ...query } }) =>
      suggestMarks(services, await operatorOf(services, { institute_id, exam_id }), exam_id, query),
    ),
  preview: ofExam
    .input(z.object({ number: ApplicationNumber.optional() }))
    .mutation(async ({ ctx: { services }, input }) =>
      previewGuide(services, await operatorOf(services, input), input.exam_id, input.number),
    ),
  applyPreview: numbered.mutation(async ({ ctx: { services }, input }) =>
    applyGuide(services, await operatorOf(services, input), input.exam_id, input.number),
  ),
  undo: numbered.mutation(async ({ ctx: { services }, input }) =>
    undoGuide(services, await operatorOf(services, input), input.exam_id, input.number),
  ),
});
