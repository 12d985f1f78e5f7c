import * as z from 'zod/v4';
import { ApplicationNumber } from '../../marking/guide/applications.ts';
import { applyGuide, undoGuide } from '../../marking/guide/applyGuide.ts';
import { previewGuide } from '../../marking/guide/previewGuide.ts';
import { GuideChange, setGuide } from '../../marking/guide/settings.ts';
import { showGuide } from '../../marking/guide/showGuide.ts';
import { SuggestionQuery, suggestMarks } from '../../marking/guide/suggestMarks.ts';
import { router } from '../trpc.ts';
import { operatorProcedure } from './operatorProcedure.ts';

const numbered = operatorProcedure.input(z.object({ number: ApplicationNumber }));

/** The guide of an exam for the admin CLI (docs/operate/provision.md). */
export const operatorGuideRouter = router({
  show: operatorProcedure.query(({ ctx, input }) => showGuide(ctx.services, ctx.actor, input.exam_id)),
  set: operatorProcedure
    .input(GuideChange)
    .mutation(({ ctx, input: { institute_id: _institute, exam_id, ...change } }) =>
      setGuide(ctx.services, ctx.actor, exam_id, change),
    ),
  suggestions: operatorProcedure
    .input(SuggestionQuery)
    .query(({ ctx, input: { institute_id: _institute, exam_id, ...query } }) =>
      suggestMarks(ctx.services, ctx.actor, exam_id, query),
    ),
  preview: operatorProcedure
    .input(z.object({ number: ApplicationNumber.optional() }))
    .mutation(({ ctx, input }) => previewGuide(ctx.services, ctx.actor, input.exam_id, input.number)),
  applyPreview: numbered.mutation(({ ctx, input }) =>
    applyGuide(ctx.services, ctx.actor, input.exam_id, input.number),
  ),
  undo: numbered.mutation(({ ctx, input }) =>
    undoGuide(ctx.services, ctx.actor, input.exam_id, input.number),
  ),
});
