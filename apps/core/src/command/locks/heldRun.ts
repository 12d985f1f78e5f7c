import { sql, type RawBuilder } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import { failure } from '../failures.ts';
import { ClaimToken, sha256Of } from '../workerCalls/claimToken.ts';

const LARGEST_FENCE = 2 ** 31 - 1;

/**
 * Claimed run, as the worker sends it. The fence numbers the claims, so a later claim makes an earlier one invalid. The
 * token proves that this worker received the claim.
 */
export const HeldRun = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  fence: z.int().gte(0).lte(LARGEST_FENCE),
  token: ClaimToken,
});
export type HeldRun = z.infer<typeof HeldRun>;

export const isHeldBy = (held: HeldRun, runs = 'runs'): RawBuilder<boolean> => sql<boolean>`
  (${sql.ref(`${runs}.fence`)} = ${held.fence} and ${sql.ref(`${runs}.status`)} = 'claimed'
    and ${sql.ref(`${runs}.claim_token_sha256`)} = ${sha256Of(held.token)}::text)`;

/**
 * Locks the submission, then the run, and checks the claim. Does not read the paper (megabytes).
 * @throws DomainFailure conflict if the run has ended, was claimed again, or was never held by the caller
 */
export const lockHeldRun = async (tx: Tx, held: HeldRun) => {
  const [[locked]] = await send(tx, heldRunLocked(tx, held));
  if (locked === undefined) throw lostRun();
  return locked;
};

/** The statement of `lockHeldRun`, so that a caller can read more columns of the locked rows. */
export const heldRunLocked = (tx: Tx, held: HeldRun) =>
  tx
    .selectFrom('submissions as s')
    .innerJoin('runs as r', 'r.submission_id', 's.id')
    .select(['s.id', 's.status', 's.review_reasons', 's.marks_revision', 'r.lane', 'r.price'])
    .where('s.institute_id', '=', held.institute_id)
    // Both rows by their keys, so that the prepared plan stays cheap when the tables grow.
    .where(
      's.id',
      '=',
      sql<string>`(select submission_id from runs where institute_id = ${held.institute_id} and id = ${held.run_id})`,
    )
    .where('r.institute_id', '=', held.institute_id)
    .where('r.id', '=', held.run_id)
    .where(isHeldBy(held, 'r'))
    // Rows are locked in this order. Both are locked, so that a waiting statement checks the claim again.
    .forUpdate('s')
    .forNoKeyUpdate('r');

/** As `lockHeldRun`; also extends the lease. */
export const lockAndExtend = async (tx: Tx, held: HeldRun, leaseSeconds: number): Promise<void> => {
  await lockHeldRun(tx, held);
  await tx
    .updateTable('runs')
    .set({ lease_until: leaseFromNow(leaseSeconds) })
    .where('institute_id', '=', held.institute_id)
    .where('id', '=', held.run_id)
    .execute();
};

export const leaseFromNow = (leaseSeconds: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

export const lostRun = () => failure('run_not_held');

/** True for the error of `lostRun`. */
export const isLostRun = (error: unknown): boolean =>
  error instanceof DomainFailure && error.failure.code === 'conflict';
