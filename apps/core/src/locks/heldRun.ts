import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { failure } from '../failures.ts';
import { ClaimToken, isProven } from '../workerCalls/claimToken.ts';

const LARGEST_FENCE = 2 ** 31 - 1;

/**
 * A run as the worker that claimed it names it. The fence numbers the claims: after the next one a worker has lost the
 * run. The token proves that this worker was given the claim.
 */
export const HeldRun = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  fence: z.int().gte(0).lte(LARGEST_FENCE),
  /** None of a worker of release 0.1.0. */
  token: ClaimToken.optional(),
});
export type HeldRun = z.infer<typeof HeldRun>;

/** SQL: the caller holds the run of this row of `runs`. */
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
 * Locks the submission, then the run, checks that the caller still holds it, and extends its lease: each write is a sign
 * of life. Does not read the paper, which may be megabytes.
 * @throws DomainFailure conflict when the run was stopped, taken over or is over, or the caller never held it
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
