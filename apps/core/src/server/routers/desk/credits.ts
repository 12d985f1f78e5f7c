import * as z from 'zod/v4';
import { creditHistory, spendingByDay } from '../../../credits/history.ts';
import { router, staffProcedure } from '../../trpc.ts';

/** History of the institute's credits. The balance is that of `credits.get`. */
export const deskCreditsRouter = router({
  history: staffProcedure
    .input(
      z.object({
        limit: z.int().gte(1).lte(200).default(50),
        before: z
          .string()
          .regex(/^\d{1,18}$/)
          .optional(),
      }),
    )
    .query(({ ctx, input }) => creditHistory(ctx.services, ctx.actor.institute_id, input)),
  spending: staffProcedure
    .input(z.object({ days: z.int().gte(1).lte(90).default(30) }))
    .query(({ ctx, input }) => spendingByDay(ctx.services, ctx.actor.institute_id, input.days)),
});
