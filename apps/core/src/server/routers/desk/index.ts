import { AuditQuery, listAudit } from '../../../people/institutes/listAudit.ts';
import { router, staffProcedure } from '../../trpc.ts';
import { deskCreditsRouter } from './credits.ts';
import { deskKeysRouter } from './keys.ts';
import { deskMarkingRouter } from './marking.ts';
import { deskExamsRouter } from './exams.ts';
import { peopleRouter } from './people.ts';
import { deskReviewRouter } from './review.ts';
import { deskSettingsRouter } from './settings.ts';
import { deskStatisticsRouter } from './statistics.ts';
import { deskUploadsRouter } from './uploads.ts';

/** Procedures for the desk alone, one router for each area. The REST contract has no route for them. */
export const deskRouter = router({
  marking: deskMarkingRouter,
  exams: deskExamsRouter,
  people: peopleRouter,
  keys: deskKeysRouter,
  credits: deskCreditsRouter,
  audit: router({
    list: staffProcedure
      .input(AuditQuery)
      .query(({ ctx, input }) => listAudit(ctx.services, ctx.actor.institute_id, input)),
  }),
  review: deskReviewRouter,
  statistics: deskStatisticsRouter,
  settings: deskSettingsRouter,
  uploads: deskUploadsRouter,
});
