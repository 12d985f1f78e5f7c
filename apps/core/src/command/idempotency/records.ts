import { sql } from 'kysely';
import { jittered } from '@evaluation/platform/backoff';
import { send, write, type Tx } from '@evaluation/database';
import { errors, type ErrorCode, type Failure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import { startRounds, type Rounds } from '../rounds.ts';
import type { Services } from '../services.ts';

export interface IdempotentRequest {
  /** As the client sent it: 1 to 255 printable ASCII characters. */
  key: string;
  /** Hash of method, path and canonical body. */
  fingerprint: string;
}

/** Answer of a request without its request id; a replay carries its own. */
export type Outcome = { body: unknown } | { failure: Failure };

const Stored = z.union([
  z.object({
    failure: z
      .object({
        code: z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(errors, code)),
        message: z.string(),
        details: z.record(z.string(), z.unknown()).optional(),
      })
      .transform(({ details, ...rest }): Failure => (details === undefined ? rest : { ...rest, details })),
  }),
  z.object({ body: z.unknown() }),
]);

const KEPT = sql`interval '48 hours'`;

/** Locks a key, unless another request holds it, and reads its unexpired outcome under the lock. */
export const lockKey = async (
  tx: Tx,
  instituteId: string,
  key: string,
): Promise<{ isLocked: boolean; known: { fingerprint: string; outcome: Outcome } | null }> => {
  const [[lock], [row]] = await send(
    tx,
    sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${instituteId}/${key}`}, 0)) as mine`,
    tx
      .selectFrom('idempotency_records')
      .select(['fingerprint', 'outcome'])
      .where('institute_id', '=', instituteId)
      .where('key', '=', key)
      .where('created_at', '>', sql<Date>`clock_timestamp() - ${KEPT}`),
  );
  return {
    isLocked: lock?.mine === true,
    known:
      row === undefined
        ? null
        : { fingerprint: row.fingerprint, outcome: Stored.parse(JSON.parse(row.outcome)) },
  };
};

/** Stores an outcome with the commit; replaces an expired one that is not deleted yet. */
export const storeOutcome = async (
  tx: Tx,
  instituteId: string,
  { key, fingerprint }: IdempotentRequest,
  outcome: Outcome,
): Promise<void> => {
  const stored = {
    fingerprint,
    outcome: JSON.stringify(outcome),
    created_at: sql<Date>`clock_timestamp()`,
  };
  await write(
    tx,
    tx
      .insertInto('idempotency_records')
      .values({ institute_id: instituteId, key, ...stored })
      .onConflict((conflict) => conflict.columns(['institute_id', 'key']).doUpdateSet(stored)),
  );
};

const SWEEP_MS = 60_000;
const BATCH = 1000;

export const startSweep = (services: Pick<Services, 'database' | 'log'>): Rounds =>
  startRounds(services.log, {
    what: 'sweeping old outcomes',
    pauseMs: () => jittered(SWEEP_MS),
    round: async (signal) => {
      while (!signal.aborted && (await sweepOutcomes(services)) === BATCH);
    },
  });

export const sweepOutcomes = async (services: Pick<Services, 'database'>): Promise<number> => {
  const { rows } = await services.database.acrossInstitutes((tx) =>
    sql`
      delete from idempotency_records where (institute_id, key) in (
        select institute_id, key from idempotency_records
        where created_at < clock_timestamp() - ${KEPT}
        order by created_at limit ${BATCH} for update skip locked)
      returning 1`.execute(tx),
  );
  return rows.length;
};
