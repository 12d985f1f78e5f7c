import * as z from 'zod/v4';
import { ApplicationNumber } from '../../marking/guide/applications.ts';
import { applyGuide, undoGuide } from '../../marking/guide/applyGuide.ts';
import { previewGuide } from '../../marking/guide/previewGuide.ts';
import { GuideChange, setGuide } from '../../marking/guide/settings.ts';
import { showGuide } from '../../marking/guide/showGuide.ts';
import { SuggestionQuery, suggestMarks } from '../../marking/guide/suggestMarks.ts';
import { reviewerProcedure, router } from '../trpc.ts';

const ofExam = reviewerProcedure.input(z.object({ exam_id: z.string().max(100) }));
const numbered = ofExam.input(z.object({ number: ApplicationNumber }));

/** Marks learned from the teacher (docs/guide.md). For internal teams; the REST API has no route to it. */
export const guideRouter = router({
  show: ofExam.query(({ ctx, input }) => showGuide(ctx.services, ctx.actor, input.exam_id)),
  set: ofExam
    .input(GuideChange)
    .mutation(({ ctx, input: { exam_id, ...change } }) => setGuide(ctx.services, ctx.actor, exam_id, change)),
  suggestions: ofExam
    .input(SuggestionQuery)
    .query(({ ctx, input: { exam_id, ...query } }) => suggestMarks(ctx.services, ctx.actor, exam_id, query)),
  preview: ofExam
    .input(z.object({ number: ApplicationNumber.optional() }))
    .mutation(({ ctx, input }) => previewGuide(ctx.services, ctx.actor, input.exam_id, input.number)),
  applyPreview: numbered.mutation(({ ctx, input }) =>
    applyGuide(ctx.services, ctx.actor, input.exam_id, input.number),
  ),
  undo: numbered.mutation(({ ctx, input }) =>
    undoGuide(ctx.services, ctx.actor, input.exam_id, input.number),
  ),
});
