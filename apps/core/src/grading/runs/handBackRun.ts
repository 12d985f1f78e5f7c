import { sql } from 'kysely';
import type { Services } from '../../command/services.ts';
import { lockHeldRun, type HeldRun } from '../../command/locks/heldRun.ts';

/**
 * Returns a run that its worker cannot finish because it stops. The run is queued again in its old place, and its
 * records stay. `dead_leases` does not change, so a run that sees many deployments is not failed
 * (docs/architecture.md#runs).
 * @throws DomainFailure conflict if the run is not held any more
 */
export const handBackRun = async (services: Services, held: HeldRun): Promise<void> => {
  const { lane } = await services.database.inTenant(held.institute_id, async (tx) => {
    const run = await lockHeldRun(tx, held);
    await tx
      .updateTable('runs')
      .set({ status: 'queued', released_at: null, lease_until: null, fence: sql<number>`fence + 1` })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .execute();
    return run;
  });
  services.claims.forget(held.run_id);
  services.wakeDispatcher(lane);
};
