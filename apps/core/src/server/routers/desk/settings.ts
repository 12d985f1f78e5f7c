import {
  changeInstituteSettings,
  changeRetention,
  RetentionChange,
  SettingsChange,
  showInstituteSettings,
} from '../../../people/institutes/instituteSettings.ts';
import { provenProcedure, router, staffProcedure } from '../../trpc.ts';

export const deskSettingsRouter = router({
  show: staffProcedure.query(({ ctx }) => showInstituteSettings(ctx.services, ctx.actor.institute_id)),
  change: staffProcedure
    .input(SettingsChange)
    .mutation(({ ctx, input }) => changeInstituteSettings(ctx.services, ctx.actor, input)),
  changeRetention: provenProcedure
    .input(RetentionChange)
    .mutation(({ ctx, input }) => changeRetention(ctx.services, ctx.actor, input)),
});
