import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { failure } from '../failures.ts';
import { ClaimToken, isProven } from '../workerCalls/claimToken.ts';

const LARGEST_FENCE = 2 ** 31 - 1;

/**
 * Claimed run, as the worker sends it. The fence numbers the claims, so a later claim makes an earlier one invalid. The
 * token proves that this worker received the claim.
 */
export const HeldRun = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  fence: z.int().gte(0).lte(LARGEST_FENCE),
  /** Absent from a worker of release 0.1.0. */
  token: ClaimToken.optional(),
});
export type HeldRun = z.infer<typeof HeldRun>;

export const isHeldBy = (held: HeldRun, runs = 'runs'): RawBuilder<boolean> => sql<boolean>`
  (${sql.ref(`${runs}.fence`)} = ${held.fence} and ${sql.ref(`${runs}.status`)} = 'claimed' and ${isProven(
    {
      number: `${runs}.fence`,
      tokenNumber: `${runs}.claim_token_fence`,
      sha256: `${runs}.claim_token_sha256`,
    },
    held.token,
  )})`;

/**
 * Locks the submission, then the run, checks the claim and extends its lease. Does not read the paper (megabytes).
 * @throws DomainFailure conflict if the run has ended, was claimed again, or was never held by the caller
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
    .where(isHeldBy(held))
    .returning(['id', 'lane', 'price', 'attempt'])
    .executeTakeFirst();
  if (run === undefined) throw lostRun();
  return { submission, run };
};

export const lostRun = () => failure('run_not_held');
