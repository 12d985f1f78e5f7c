import { sql } from 'kysely';
import { metrics } from '@evaluation/platform/telemetry';
import { startRounds, type Rounds } from '../../command/rounds.ts';
import type { Services } from '../../command/services.ts';
import { instituteIds, reconcileInstitute } from './reconcile.ts';

/*
 * Reconciles all institutes at a long interval and logs the differences. All replicas start a round at the same times
 * of the clock; the replica that gets the lock runs the round, and the others skip it. State: none. If a replica dies
 * in a round, its connection closes and frees the lock, and the next round checks everything again.
 *
 * Each replica exports the result and the time of the last round that it finished itself; the most recent one counts. A
 * round that is aborted changes no gauge, so earlier findings stay visible.
 */

/** Key of the advisory lock; no other lock of core has it. */
const LOCK = 7_205_834_116;

/** @param everyMs rounds start when the clock is a multiple of it; 0 disables them */
export const startReconciler = (services: Pick<Services, 'database' | 'log'>, everyMs: number): Rounds =>
  startRounds(services.log, {
    what: 'reconciling the accounts',
    pauseMs: () => (everyMs > 0 ? everyMs - (Date.now() % everyMs) : null),
    round: async (signal) => {
      await reconcileAll(services, signal);
    },
  });

/**
 * Logs a line for each institute with findings, and one at the end. @returns false if another replica holds the lock
 */
export const reconcileAll = (
  services: Pick<Services, 'database' | 'log'>,
  signal?: AbortSignal,
): Promise<boolean> =>
  services.database.forChecks.acrossInstitutes(async (tx) => {
    // The transaction of the lock runs no other statement. It stays open, without a snapshot, during the whole round.
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}::bigint) as locked`.execute(tx);
    if (rows[0]?.locked !== true) return false;
    const began = performance.now();
    let institutes = 0;
    let kinds = 0;
    for await (const id of instituteIds(services.database)) {
      const findings = await reconcileInstitute(services.database, id, signal);
      institutes += 1;
      kinds += new Set(findings.map(({ finding }) => finding)).size;
      if (findings.length > 0) {
        services.log.error({ institute_id: id, findings }, 'the accounts of an institute do not add up');
      }
      // An abort during the last institute leaves its checks incomplete, so the gauges are not set.
      if (signal?.aborted === true) return true;
    }
    const line = { institutes, findings: kinds, duration_ms: Math.round(performance.now() - began) };
    metrics.reconcileDifferences.set(kinds);
    metrics.reconcileLastSuccess.setToCurrentTime();
    services.log.info(line, 'reconciled');
    return true;
  });
