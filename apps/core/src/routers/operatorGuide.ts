import { staffActor, type StaffActor } from '@evaluation/signed-actor';
import * as z from 'zod/v4';
import { ApplicationNumber } from '../guideCommands/applications.ts';
import { applyGuide, undoGuide } from '../guideCommands/applyGuide.ts';
import { previewGuide } from '../guideCommands/previewGuide.ts';
import { GuideChange, setGuide } from '../guideCommands/settings.ts';
import { showGuide } from '../guideCommands/showGuide.ts';
import { controlProcedure, router } from '../trpc.ts';

const ofExam = controlProcedure.input(z.object({ institute_id: z.uuid(), exam_id: z.uuid() }));
const numbered = ofExam.input(z.object({ number: ApplicationNumber }));

/** The operator has no account: the audit shows this id with the role `operator`. */
const OPERATOR_ID = '00000000-0000-0000-0000-000000000000';
const operatorOf = (instituteId: string): StaffActor =>
  staffActor({
    institute_id: instituteId,
    staff_id: OPERATOR_ID,
    role: 'operator',
    scopes: ['evaluation:review'],
  });

/** The guide of an exam for the admin CLI (docs/operate/provision.md). */
export const operatorGuideRouter = router({
  show: ofExam.query(({ ctx, input }) =>
    showGuide(ctx.services, operatorOf(input.institute_id), input.exam_id),
  ),
  set: ofExam
    .input(GuideChange)
    .mutation(({ ctx, input: { institute_id, exam_id, ...change } }) =>
      setGuide(ctx.services, operatorOf(institute_id), exam_id, change),
    ),
  preview: ofExam
    .input(z.object({ number: ApplicationNumber.optional() }))
    .mutation(({ ctx, input }) =>
      previewGuide(ctx.services, operatorOf(input.institute_id), input.exam_id, input.number),
    ),
  applyPreview: numbered.mutation(({ ctx, input }) =>
    applyGuide(ctx.services, operatorOf(input.institute_id), input.exam_id, input.number),
  ),
  undo: numbered.mutation(({ ctx, input }) =>
    undoGuide(ctx.services, operatorOf(input.institute_id), input.exam_id, input.number),
  ),
});
