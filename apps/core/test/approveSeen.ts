import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../src/command/services.ts';
import { approveSubmission } from '../src/marking/review/approveSubmission.ts';

/** An approval as the desk sends it: with the revision of the marks that were on the screen. */
export const approveSeen = async (services: Services, actor: Actor, submissionId: string): Promise<void> => {
  const { marks_revision } = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('submissions')
      .select('marks_revision')
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', submissionId)
      .executeTakeFirstOrThrow(),
  );
  await approveSubmission(services, actor, submissionId, {}, marks_revision);
};
