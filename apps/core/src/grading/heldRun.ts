import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';

/** How a worker names the run it holds: the fence makes a worker that lost its lease a stranger (design 3.7). */
export const HeldRun = z.object({ run_id: z.uuid(), institute_id: z.uuid(), fence: z.int() });
export type HeldRun = z.infer<typeof HeldRun>;

/**
 * Locks the submission, then the run (design 3.2), checks that the caller still holds it, and extends its lease: each
 * write is a sign of life. The paper, which may be megabytes, stays where it is.
 * @throws DomainFailure conflict when the run was stopped, taken over or is over
 */
export const lockHeldRun = async (tx: Tx, held: HeldRun, leaseSeconds: number) => {
  const submission = await tx
    .selectFrom('submissions as s')
    .innerJoin('runs as r', 'r.submission_id', 's.id')
    .select(['s.id', 's.status', 's.lane', 's.review_reasons', 's.marks_revision', 's.current_run_id'])
    .where('s.institute_id', '=', held.institute_id)
    .where('r.id', '=', held.run_id)
    .forUpdate('s')
    .executeTakeFirst();
  if (submission === undefined) throw lostRun();
  const run = await tx
    .updateTable('runs')
    .set({ lease_until: sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})` })
    .where('institute_id', '=', held.institute_id)
    .where('id', '=', held.run_id)
    .where('fence', '=', held.fence)
    .where('status', '=', 'claimed')
    .returning(['id', 'lane', 'price', 'attempt'])
    .executeTakeFirst();
  if (run === undefined) throw lostRun();
  return { submission, run };
};

export const lostRun = () =>
  new DomainFailure('conflict', { message: 'This worker does not hold the run any more.' });
