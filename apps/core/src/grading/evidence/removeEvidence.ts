import { sql } from 'kysely';
import { jittered } from '@evaluation/platform/backoff';
import { evidencePrefix } from '@evaluation/object-store';
import { dueByRetention } from '../../command/retention.ts';
import { startRounds, type Rounds } from '../../command/rounds.ts';
import type { Services } from '../../command/services.ts';
import { unreachable } from '../../command/unreachable.ts';

/*
 * Removes the evidence of runs after `EVIDENCE_RETENTION_DAYS`, and of deleted submissions after `FILE_RETENTION_DAYS`.
 * An institute may have fewer days. Judgements that these runs have cached are removed too.
 *
 * The evidence of a run is removed as a whole: first all objects below its prefix, with or without a row, then the
 * rows. State: the rows only. If a replica dies, or two replicas remove the same run, the next round finds the rows
 * that are left.
 */

const BATCH = 100;
/** Bound of one round; later rounds remove the rest. */
const MAX_BATCHES = 20;

type Needed = Pick<Services, 'database' | 'objects' | 'settings' | 'log'>;

export const startEvidenceRemoval = (services: Needed): Rounds =>
  startRounds(services.log, {
    what: 'removing evidence',
    pauseMs: () => jittered(services.settings.files.roundSeconds * 1000),
    round: (signal) => removeEvidence(services, signal),
  });

/** @throws if a store is unreachable; an error for a single run is logged, and a later round tries again */
export const removeEvidence = async (services: Needed, signal: AbortSignal): Promise<void> => {
  const { evidence, files } = services.settings;
  for (const due of [...expired(evidence.retentionDays), ...unneededEvidence(files.retentionDays)]) {
    const stuck = new Set<string>();
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const { rows } = await services.database.acrossInstitutes((tx) => due.execute(tx));
      for (const run of rows) {
        if (signal.aborted) return;
        if (stuck.has(run.id)) continue;
        try {
          await removeOf(services, run, signal);
        } catch (error) {
          if (unreachable(error) !== null || signal.aborted) throw error;
          stuck.add(run.id);
          services.log.warn(
            { err: error, run_id: run.id },
            'removing the evidence of a run failed; a later round tries again',
          );
        }
      }
      if (rows.length < BATCH || stuck.size > 0) break;
    }
  }
};

interface RunToClear {
  id: string;
  institute_id: string;
  submission_id: string;
}

/**
 * `now()`, because an index cannot serve `clock_timestamp()`. A run's deadline is at most a day after its first claim,
 * so no run that is found is still recording. Exported for a test of the plans.
 */
export const expired = (retentionDays: number) =>
  dueByRetention<RunToClear>(
    'evidence_days',
    Math.max(1, retentionDays),
    BATCH,
    (days, ofInstitute) => sql`
      select id, institute_id, submission_id from runs
      where ${ofInstitute} and evidence_since is not null and evidence_since < now() - make_interval(days => ${days})
      order by evidence_since limit ${BATCH}`,
  );

export const unneededEvidence = (retentionDays: number) =>
  dueByRetention<RunToClear>(
    'files_days',
    retentionDays,
    BATCH,
    (days, ofInstitute) => sql`
      select id, institute_id, submission_id from runs
      where ${ofInstitute} and evidence_unneeded_since is not null
        and evidence_unneeded_since < now() - make_interval(days => ${days})
      order by evidence_unneeded_since limit ${BATCH}`,
  );

const removeOf = async (services: Needed, run: RunToClear, signal: AbortSignal): Promise<void> => {
  const prefix = evidencePrefix(run.institute_id, run.submission_id, run.id);
  await services.objects.delete(await Array.fromAsync(services.objects.list(prefix, { signal })), { signal });
  await services.database.inTenant(run.institute_id, async (tx) => {
    for (const table of ['evidence_parts', 'judgements'] as const) {
      await tx
        .deleteFrom(table)
        .where('institute_id', '=', run.institute_id)
        .where('run_id', '=', run.id)
        .execute();
    }
    await tx
      .updateTable('runs')
      .set({ evidence_since: null, evidence_unneeded_since: null })
      .where('institute_id', '=', run.institute_id)
      .where('id', '=', run.id)
      .execute();
  });
};
