import { sql } from 'kysely';
import { reusePlans, send, type Tx } from '@evaluation/database';
import { advances } from '@evaluation/rules';
import * as z from 'zod/v4';
import {
  judgementsOf,
  keepJudgements,
  selectJudgements,
  type FoundJudgement,
  type ReplacementJudgement,
} from '../evidence/cachedJudgements.ts';
import { discardEvidence, putEvidence, type StoredEvidence } from '../evidence/storeEvidence.ts';
import { selectGuide } from '../../guides/inForce.ts';
import {
  heldRunLocked,
  isLostRun,
  lockAndExtend,
  lostRun,
  type HeldRun,
} from '../../command/locks/heldRun.ts';
import type { Services } from '../../command/services.ts';
import { announceEnd, endRun, storedCopy, type LockedRun, type StoredCopy } from './completeRun.ts';
import { hasNoRecords, lookUp } from './lookUp.ts';
import type { RecordedBatch, RecordedQuestion } from './recordedBatch.ts';
import { recordsStatement, writtenOf } from './writeRecords.ts';

/**
 * Records of a worker during grading (docs/architecture.md#runs). A worker sends what it has made since its last call;
 * all of it is recorded in one transaction, so that a redelivered run repeats only the model calls that were in flight
 * or not sent yet. If the same record is sent twice, the first one stays, with its evidence
 * (grading/evidence/storeEvidence.ts).
 */

interface Recorded {
  /**
   * Cached judgements that count instead of the sent ones. These questions are not recorded: the worker scores the
   * cached judgement and sends the question again.
   */
  standing: ReplacementJudgement[];
  /** The judgements that were asked for and are cached. */
  found: FoundJudgement[];
  /** True if the call ended the run. False without a completion, or if questions in `standing` are not recorded yet. */
  completed: boolean;
}

/** A batch without records. */
export const NOTHING: RecordedBatch = { pages: [], questions: [], find: [] };

/** Records a batch and extends the lease. @throws DomainFailure conflict if the run is not held any more */
export const recordBatch = async (
  services: Services,
  held: HeldRun,
  batch: RecordedBatch,
): Promise<Recorded> => {
  const copy = await storedCopy(services, held, batch.completion);
  const evidence = await putEvidence(services, held, [
    ...batch.pages.map((part) => part.evidence),
    ...batch.questions.map((part) => part.evidence),
    batch.alignment?.evidence,
  ]);
  const done = await services.database
    .inTenant(held.institute_id, (tx) => recordLocked(services, tx, held, { batch, evidence, copy }))
    .catch(async (error: unknown) => {
      if (isLostRun(error)) {
        services.claims.forget(held.run_id);
        await discardEvidence(services, evidence);
      }
      throw error;
    });
  if (done.linked === 0) await discardEvidence(services, evidence);
  if (done.ended !== null) await announceEnd(services, held, done.ended);
  return { standing: done.standing, found: done.found, completed: done.ended !== null };
};

const recordLocked = async (
  services: Services,
  tx: Tx,
  held: HeldRun,
  { batch, evidence, copy }: { batch: RecordedBatch; evidence: StoredEvidence; copy: StoredCopy | null },
) => {
  await reusePlans(tx);
  const { leaseSeconds } = services.settings.runs;
  if (hasNoRecords(batch)) {
    const known = await lookUp(tx, held, batch, leaseSeconds);
    if (known !== null) return { standing: [], found: known, linked: 0, ended: null };
  }
  const run = await lockWithPaper(tx, held, batch.questions.length > 0 || batch.completion !== undefined);
  const paper = new Map(run.paper);
  for (const { result } of batch.questions) assertAllowed(held, result, paper);
  const judgements = batch.questions.flatMap(({ result, judgement }) =>
    judgement === undefined ? [] : [{ ...judgement, question_id: result.question_id }],
  );
  const { retentionDays } = services.settings.evidence;
  const standing = await keepJudgements(tx, held, judgements, retentionDays);
  const isStanding = new Set(standing.map(({ question_id }) => question_id));
  const completion = standing.length === 0 ? batch.completion : undefined;
  const partOf = (index: number) => evidence.parts[index] ?? null;
  const afterPages = batch.pages.length;
  const records = {
    submissionId: run.id,
    step: batch.step !== undefined && advances(run.status, batch.step) ? batch.step : null,
    pages: batch.pages.map((read, index) => ({ ...read, evidence: partOf(index) })),
    questions: batch.questions.flatMap(({ result }, index) =>
      isStanding.has(result.question_id)
        ? []
        : [{ result, max: paper.get(result.question_id) ?? 0, evidence: partOf(afterPages + index) }],
    ),
    alignment:
      batch.alignment === undefined || run.is_aligned
        ? null
        : { ...batch.alignment, evidence: partOf(afterPages + batch.questions.length) },
    used: batch.used ?? null,
    keepsJudgements: judgements.length > 0 && retentionDays > 0,
    leaseSeconds,
    isCompleting: completion !== undefined,
  };
  const statement = recordsStatement(held, records);
  // Most batches look nothing up and do not complete.
  const [found, [guide], rows] =
    batch.find.length === 0 && completion === undefined
      ? [[], [], ...(await send(tx, statement))]
      : await send(
          tx,
          selectJudgements(held.institute_id, batch.find),
          selectGuide(held.institute_id, run, completion !== undefined),
          statement,
        );
  const written = writtenOf(rows, held, records);
  return {
    standing,
    found: judgementsOf(found),
    linked: written.linked,
    ended:
      completion === undefined
        ? null
        : await endRun(tx, held, { run, written, completion, copy, guide: guide ?? null }),
  };
};

/** Marks are checked against the pinned paper, because workers process untrusted files and are not trusted. */
const assertAllowed = (held: HeldRun, result: RecordedQuestion, paper: ReadonlyMap<string, number>): void => {
  const max = paper.get(result.question_id);
  if (
    max === undefined ||
    (result.awarded ?? 0) > max ||
    (result.status !== 'failed' && result.awarded === null)
  ) {
    throw new Error(`run ${held.run_id}: recorded a result that its paper does not allow`);
  }
};

const Paper = z.array(z.tuple([z.uuid(), z.number()])).nullable();

/** As `lockHeldRun`. @returns also the questions of the pinned paper, in its order, with their marks */
const lockWithPaper = async (tx: Tx, held: HeldRun, readsPaper: boolean): Promise<LockedRun> => {
  const [[run]] = await send(
    tx,
    heldRunLocked(tx, held)
      .select(sql<boolean>`r.alignment is not null`.as('is_aligned'))
      .select(
        sql<unknown>`case when ${readsPaper}::boolean then (
          select json_agg(json_build_array(q->'id', q->'max_marks'))
          from jsonb_path_query(r.paper, '$.questions[*]') q) end`.as('paper'),
      ),
  );
  if (run === undefined) throw lostRun();
  return { ...run, paper: Paper.parse(run.paper) ?? [] };
};

/** Extends the lease. */
export const heartbeat = async (services: Services, held: HeldRun): Promise<void> => {
  await services.database.inTenant(held.institute_id, (tx) =>
    lockAndExtend(tx, held, services.settings.runs.leaseSeconds),
  );
};
