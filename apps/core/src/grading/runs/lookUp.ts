import { sql } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import { advances } from '@evaluation/rules';
import type { SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { judgementsOf, selectJudgements, type FoundJudgement } from '../evidence/cachedJudgements.ts';
import { isHeldBy, lostRun, type HeldRun } from '../../command/locks/heldRun.ts';
import type { RecordedBatch } from './recordedBatch.ts';

/** True if the batch has no records: it looks judgements up, and perhaps reports a step or the token usage. */
export const hasNoRecords = ({ pages, alignment, questions, completion }: RecordedBatch): boolean =>
  pages.length === 0 && alignment === undefined && questions.length === 0 && completion === undefined;

/**
 * Looks the judgements of a batch without records up, in one round trip without locks and writes.
 * @returns null if something must be written: a step, token usage, or a lease with less than two thirds left. A worker
 * sends a heartbeat when a third of the lease has passed since its last call
 * @throws DomainFailure conflict if the run is not held any more
 */
export const lookUp = async (
  tx: Tx,
  held: HeldRun,
  { find, step, used }: RecordedBatch,
  leaseSeconds: number,
): Promise<FoundJudgement[] | null> => {
  const [[run], judgements] = await send(
    tx,
    sql<{ status: SubmissionStatus; has_time: boolean; has_usage: boolean }>`
      select s.status,
        coalesce(r.lease_until >= clock_timestamp() + make_interval(secs => ${leaseSeconds} * 2 / 3.0), false) as has_time,
        coalesce((r.usage->>'calls')::numeric, 0) >= ${used?.usage.calls ?? 0}::numeric as has_usage
      from runs r
      join submissions s on s.institute_id = r.institute_id and s.id = r.submission_id
      where r.institute_id = ${held.institute_id} and r.id = ${held.run_id} and ${isHeldBy(held, 'r')}`,
    selectJudgements(held.institute_id, find),
  );
  if (run === undefined) throw lostRun();
  const advancesStep = step !== undefined && advances(run.status, step);
  return run.has_time && run.has_usage && !advancesStep ? judgementsOf(judgements) : null;
};
