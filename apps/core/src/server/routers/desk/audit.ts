import { DecisionQuery, listDecisions } from '../../../marking/review/listDecisions.ts';
import { router, staffProcedure } from '../../trpc.ts';

export const deskAuditRouter = router({
  list: staffProcedure
    .input(DecisionQuery)
    .query(({ ctx, input }) => listDecisions(ctx.services, ctx.actor.institute_id, input)),
});
