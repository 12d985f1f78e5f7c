import * as z from 'zod/v4';
import { ApplicationNumber } from '../guideCommands/applications.ts';
import { applyGuide, undoGuide } from '../guideCommands/applyGuide.ts';
import { previewGuide } from '../guideCommands/previewGuide.ts';
import { GuideChange, setGuide } from '../guideCommands/settings.ts';
import { showGuide } from '../guideCommands/showGuide.ts';
import { SuggestionQuery, suggestMarks } from '../guideCommands/suggestMarks.ts';
import { controlProcedure, router } from '../trpc.ts';
import { ExamOfOperator, operatorOf } from './operatorActor.ts';

const ofExam = controlProcedure.input(ExamOfOperator);
const numbered = ofExam.input(z.object({ number: ApplicationNumber }));

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
