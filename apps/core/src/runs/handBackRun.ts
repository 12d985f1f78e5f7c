import { sql } from 'kysely';
import type { Services } from '../services.ts';
import { lockHeldRun, type HeldRun } from '../locks/heldRun.ts';

/**
 * A worker that is told to stop gives back what it cannot finish: the run waits again at once, in its old place, and
 * what is recorded stays. No lease has died, so a run that lives through many deployments is not failed for it
 * (docs/architecture.md#runs). @throws DomainFailure conflict when the run is not held any more
 */
export const handBackRun = async (services: Services, held: HeldRun): Promise<void> => {
  await services.database.inTenant(held.institute_id, async (tx) => {
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await tx
      .updateTable('runs')
      .set({ status: 'queued', released_at: null, lease_until: null, fence: sql<number>`fence + 1` })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .execute();
  });
  services.wakeDispatcher();
};
