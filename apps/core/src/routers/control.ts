import * as z from 'zod/v4';
import {
  createInstitute,
  createKey,
  grantCredits,
  InstituteCreate,
  KeyCreate,
  revokeKey,
  showInstitute,
} from '../institutes/provision.ts';
import { controlProcedure, router } from '../trpc.ts';

/** For provisioning: the CLI of design chapter 6. */
export const controlRouter = router({
  createInstitute: controlProcedure
    .input(InstituteCreate)
    .mutation(({ ctx, input }) => createInstitute(ctx.services, input)),
  createKey: controlProcedure.input(KeyCreate).mutation(({ ctx, input }) => createKey(ctx.services, input)),
  revokeKey: controlProcedure
    .input(z.object({ key_id: z.uuid() }))
    .mutation(({ ctx, input }) => revokeKey(ctx.services, input.key_id)),
  grantCredits: controlProcedure
    .input(z.object({ institute_id: z.uuid(), amount: z.number().gt(0).lte(1_000_000_000) }))
    .mutation(({ ctx, input }) => grantCredits(ctx.services, input)),
  showInstitute: controlProcedure
    .input(z.object({ institute_id: z.uuid() }))
    .query(({ ctx, input }) => showInstitute(ctx.services, input.institute_id)),
});
