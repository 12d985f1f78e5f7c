import { sql } from 'kysely';
import { metrics } from '@evaluation/telemetry';
import { startRounds, type Rounds } from '../../rounds.ts';
import type { Services } from '../../services.ts';
import { instituteIds, reconcileInstitute } from './reconcile.ts';

/*
 * Reconciles every institute at a long interval and logs what does not add up. Replicas begin a round at the same
 * moments of the clock; who gets the lock does it, the others leave that round out. State: none. A replica that dies in
 * a round gives the lock back with its connection, and the next round looks at everything again.
 *
 * Each replica tells of the last round that it finished itself, and when that was: the latest of them counts. What an
 * earlier one found is told until then, so a round that breaks off, or whose replica dies, takes back no finding.
 */

/** Any number that no other advisory lock of core has. */
const LOCK = 7_205_834_116;

/** @param everyMs a round begins each time the clock is a multiple of it; 0: never */
export const startReconciler = (services: Pick<Services, 'database' | 'log'>, everyMs: number): Rounds =>
  startRounds(services.log, {
    what: 'reconciling the accounts',
    pauseMs: () => (everyMs > 0 ? everyMs - (Date.now() % everyMs) : null),
    round: async (signal) => {
      await reconcileAll(services, signal);
    },
  });

/**
 * One round: a line for each institute that has findings, and one in the end.
 * @returns whether this replica did it; false when another one has the lock
 */
export const reconcileAll = (
  services: Pick<Services, 'database' | 'log'>,
  signal?: AbortSignal,
): Promise<boolean> =>
  services.database.acrossInstitutes(async (tx) => {
    // The lock's transaction does nothing else: it waits, without a snapshot, for as long as the round takes.
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
      // It may have been stopped over the last one too, and has not looked at all of it then.
      if (signal?.aborted === true) return true;
    }
    const line = { institutes, findings: kinds, duration_ms: Math.round(performance.now() - began) };
    metrics.reconcileDifferences.set(kinds);
    metrics.reconcileLastSuccess.setToCurrentTime();
    services.log.info(line, 'reconciled');
    return true;
  }, 'unhurried');
