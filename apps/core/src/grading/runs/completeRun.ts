import { sql } from 'kysely';
import { checkedCopyKey } from '@evaluation/object-store';
import { json, write, type Tx } from '@evaluation/database';
import { GradingError, type Submission } from '@evaluation/rest-contract/schemas';
import { runLanes, type RunLane } from '@evaluation/jobs-contract';
import { finalStatus } from '@evaluation/rules';
import { requestDrawing } from '../../files/drawings.ts';
import { discardCopies, storeCheckedCopy } from '../../files/storeCheckedCopy.ts';
import { charge, release } from '../../credits/ledger.ts';
import { guideCompletedRun, type GuideInForce } from '../../guides/inForce.ts';
import { lockHeldRun, type HeldRun } from '../../command/locks/heldRun.ts';
import { countCredits, countQuestions, countRun } from '../../command/metrics.ts';
import type { Services } from '../../command/services.ts';
import type { Completion } from './completion.ts';
import { effectiveOf, madeByRun, type DecidedQuestion } from './resultsOfRun.ts';
import type { Written } from './writeRecords.ts';

/* Completes a run, in the transaction of its last records (docs/architecture.md#runs). */

/** Time within which a worker must start the PUT of the checked copy. */
const PUT_SECONDS = 600;

export interface LockedRun {
  /** Id, status, reasons and revision of the submission. */
  id: string;
  status: Submission['status'];
  review_reasons: string[];
  marks_revision: number;
  lane: RunLane;
  price: string;
  is_aligned: boolean;
  /** Questions of the pinned paper, in its order, with their marks. Empty if it was not read. */
  paper: [string, number][];
}

export interface StoredCopy {
  key: string;
  sizeBytes: number;
}

interface Ended {
  outcome: 'completed' | 'failed';
  price: number;
  lane: RunLane;
  made: readonly DecidedQuestion[];
  /** Keys of the checked copies of earlier marks. */
  earlier: string[];
}

const copyKey = (held: HeldRun, submissionId: string): string =>
  checkedCopyKey(held.institute_id, submissionId, held.run_id, held.fence);

/**
 * Signs the PUT of the checked copy. Its key belongs to this claim, so a worker with an old fence overwrites nothing,
 * and a claim that this process has granted is not read again.
 * @throws DomainFailure conflict if the run is not held any more
 */
export const presignCheckedCopy = async (
  services: Services,
  held: HeldRun,
  sizeBytes: number,
): Promise<{ url: string; headers: Record<string, string> }> => {
  const submissionId =
    services.claims.submissionOf(held) ??
    (await services.database.inTenant(held.institute_id, (tx) => lockHeldRun(tx, held))).id;
  return services.objects.presignPut(copyKey(held, submissionId), {
    sizeBytes,
    contentType: 'application/pdf',
    expiresInSeconds: PUT_SECONDS,
  });
};

/** Returns the checked copy if it exists in the object store; the worker's claim alone is not trusted. */
export const storedCopy = async (
  services: Services,
  held: HeldRun,
  completion: Completion | undefined,
): Promise<StoredCopy | null> => {
  if (completion === undefined || completion.checked_copy === null) return null;
  const submissionId = services.claims.submissionOf(held) ?? (await readSubmissionId(services, held));
  if (submissionId === null) return null;
  const key = copyKey(held, submissionId);
  const object = await services.objects.head(key);
  return object === null ? null : { key, sizeBytes: object.sizeBytes };
};

const readSubmissionId = async (services: Services, held: HeldRun): Promise<string | null> => {
  const run = await services.database.inTenant(held.institute_id, (tx) =>
    tx
      .selectFrom('runs')
      .select('submission_id')
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .executeTakeFirst(),
  );
  return run?.submission_id ?? null;
};

/** Needs no exam lock, because the exam does not change. The caller holds the locks of submission and run. */
export const endRun = async (
  tx: Tx,
  held: HeldRun,
  end: {
    run: LockedRun;
    written: Written;
    completion: Completion;
    copy: StoredCopy | null;
    guide: GuideInForce | null;
  },
): Promise<Ended> => {
  const { run, written, completion, copy, guide } = end;
  const isGuided = await guideCompletedRun(tx, held.institute_id, run, guide);
  const made = isGuided
    ? await madeByRun(tx, held.institute_id, { id: run.id, current_run_id: held.run_id })
    : (written.decided ?? []);
  const byId = new Map(made.map((result) => [result.question_id, result]));
  if (run.paper.some(([id]) => !byId.has(id))) {
    throw new Error(`run ${held.run_id} was completed before every question was decided`);
  }
  const price = Number(run.price);
  const ended = { price, lane: run.lane, made };
  // A run without any mark by the AI has failed and is not charged, even if a teacher marked questions before
  // (decision 015).
  if (finalStatus(made) === 'failed') {
    // The first failed question in the order of the paper, not of recording.
    const first = run.paper.map(([id]) => byId.get(id)).find((result) => result?.status === 'failed');
    const error = GradingError.parse(first?.error);
    await writeEnd(tx, held, {
      submissionId: run.id,
      status: 'failed',
      error,
      completion,
      written,
      graded: null,
    });
    await release(tx, held, price);
    return { ...ended, outcome: 'failed', earlier: [] };
  }
  const effective = effectiveOf(made);
  const reasons = [...new Set([...run.review_reasons, ...completion.review_reasons])];
  const revision = run.marks_revision + 1;
  await writeEnd(tx, held, {
    submissionId: run.id,
    status: finalStatus(effective),
    error: null,
    completion,
    written,
    graded: {
      price,
      reasons,
      needsReview: reasons.length > 0 || effective.some((result) => result.needs_review),
      revision,
    },
  });
  // The worker has drawn the marks of the grader; the copy is drawn again with the marks of the guide.
  if (isGuided && runLanes[run.lane].grades === 'pages') {
    await requestDrawing(tx, held.institute_id, run.id);
  }
  const earlier =
    copy === null
      ? []
      : isGuided
        ? [copy.key]
        : await storeCheckedCopy(tx, {
            institute_id: held.institute_id,
            submission_id: run.id,
            marks_revision: revision,
            object_key: copy.key,
            size_bytes: copy.sizeBytes,
            pictures: completion.checked_copy?.pictures ?? [],
          });
  await charge(tx, held, price);
  return { ...ended, outcome: 'completed', earlier };
};

interface End {
  submissionId: string;
  status: ReturnType<typeof finalStatus>;
  error: GradingError | null;
  completion: Completion;
  written: Written;
  /** Null for a failed run. */
  graded: { price: number; reasons: string[]; needsReview: boolean; revision: number } | null;
}

/** Ends run and submission in one statement. */
const writeEnd = (tx: Tx, held: HeldRun, { submissionId, status, error, completion, written, graded }: End) =>
  write(
    tx,
    tx
      .with('run', (ended) =>
        ended
          .updateTable('runs')
          .set({
            status: graded === null ? 'failed' : 'completed',
            finished_at: sql<Date>`clock_timestamp()`,
            lease_until: null,
            error: error === null ? null : json(error),
            grader: json(completion.grader),
            usage: json(completion.usage),
            turned_pages: json(completion.turned_pages ?? []),
            ...(written.hasEvidence
              ? { evidence_since: sql<Date>`coalesce(evidence_since, clock_timestamp())` }
              : {}),
          })
          .where('institute_id', '=', held.institute_id)
          .where('id', '=', held.run_id),
      )
      .updateTable('submissions')
      .set({
        status,
        error: error === null ? null : json(error),
        questions_done: sql<number>`questions_done + ${written.questions}::int`,
        ...(graded === null
          ? { needs_review: true, credits_charged: null, graded_at: null }
          : {
              graded_at: sql<Date>`clock_timestamp()`,
              credits_charged: String(graded.price),
              needs_review: graded.needsReview,
              review_reasons: graded.reasons,
              marks_revision: graded.revision,
            }),
      })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', submissionId),
  );

/** Effects after the commit. */
export const announceEnd = async (services: Services, held: HeldRun, ended: Ended): Promise<void> => {
  services.claims.forget(held.run_id);
  services.wakeDispatcher('place');
  await countCredits(services, ended.outcome === 'completed' ? 'charged' : 'released', ended.price);
  await countRun(services, ended.lane, ended.outcome);
  await countQuestions(services, ended.lane, ended.made);
  await discardCopies(services, ended.earlier);
};
