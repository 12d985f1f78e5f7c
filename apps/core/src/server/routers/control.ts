import * as z from 'zod/v4';
import {
  createKey,
  editKey,
  KeyCreate,
  KeyEdit,
  operatorOfKey,
  revokeKey,
} from '../../people/institutes/manageKeys.ts';
import { eraseCandidate } from '../../personal-data/eraseCandidate.ts';
import {
  exportCandidate,
  exportFiles,
  exportSubmission,
  WantedFiles,
  WantedSubmission,
} from '../../personal-data/exportCandidate.ts';
import { WantedCandidate } from '../../personal-data/findForOperator.ts';
import { reconcileSome } from '../../credits/reconcile/reconcile.ts';
import {
  readEvidenceParts,
  showEvidence,
  WantedEvidence,
  WantedParts,
} from '../../grading/evidence/showEvidence.ts';
import { readGuidePart, WantedGuideParts } from '../../grading/evidence/guideParts.ts';
import { editInstitute, InstituteEdit } from '../../people/institutes/editInstitute.ts';
import {
  CreditGrant,
  createInstitute,
  grantCredits,
  InstituteCreate,
  showInstitute,
} from '../../people/institutes/provision.ts';
import { readResultOf } from '../../submissions/results.ts';
import { operatorActor } from '../../command/audit.ts';
import { controlProcedure, router } from '../trpc.ts';
import { operatorGuideRouter } from './operatorGuide.ts';
import { operatorRegradeRouter } from './operatorRegrade.ts';
import { operatorStaffRouter } from './operatorStaff.ts';

export const controlRouter = router({
  createInstitute: controlProcedure
    .input(InstituteCreate)
    .mutation(({ ctx, input }) => createInstitute(ctx.services, input)),
  editInstitute: controlProcedure.input(InstituteEdit).mutation(async ({ ctx, input }) => {
    await editInstitute(ctx.services, input);
    return showInstitute(ctx.services, input.institute_id);
  }),
  createKey: controlProcedure
    .input(KeyCreate)
    .mutation(({ ctx, input: { institute_id, ...terms } }) =>
      createKey(ctx.services, operatorActor(institute_id), terms),
    ),
  editKey: controlProcedure
    .input(KeyEdit)
    .mutation(async ({ ctx: { services }, input }) =>
      editKey(services, await operatorOfKey(services, input.key_id), input),
    ),
  revokeKey: controlProcedure
    .input(z.object({ key_id: z.uuid() }))
    .mutation(async ({ ctx: { services }, input }) =>
      revokeKey(services, await operatorOfKey(services, input.key_id), input.key_id),
    ),
  grantCredits: controlProcedure
    .input(CreditGrant)
    .mutation(({ ctx, input }) => grantCredits(ctx.services, input)),
  reconcile: controlProcedure
    .input(z.object({ institute_id: z.uuid().optional(), after: z.uuid().optional() }))
    .query(({ ctx, input }) => reconcileSome(ctx.services.database, input)),
  showEvidence: controlProcedure
    .input(WantedEvidence)
    .query(({ ctx, input }) => showEvidence(ctx.services, input, readResultOf)),
  readEvidenceParts: controlProcedure
    .input(WantedParts)
    .query(({ ctx, input }) => readEvidenceParts(ctx.services, input)),
  readGuidePart: controlProcedure
    .input(WantedGuideParts)
    .query(({ ctx, input }) => readGuidePart(ctx.services, input)),
  guide: operatorGuideRouter,
  regrade: operatorRegradeRouter,
  staff: operatorStaffRouter,
  exportCandidate: controlProcedure
    .input(WantedCandidate)
    .query(({ ctx, input }) => exportCandidate(ctx.services, input)),
  exportSubmission: controlProcedure
    .input(WantedSubmission)
    .query(({ ctx, input }) => exportSubmission(ctx.services, input)),
  exportFiles: controlProcedure
    .input(WantedFiles)
    .query(({ ctx, input }) => exportFiles(ctx.services, input)),
  eraseCandidate: controlProcedure
    .input(WantedCandidate)
    .mutation(({ ctx, input }) => eraseCandidate(ctx.services, input)),
  showInstitute: controlProcedure
    .input(z.object({ institute_id: z.uuid() }))
    .query(({ ctx, input }) => showInstitute(ctx.services, input.institute_id)),
});
