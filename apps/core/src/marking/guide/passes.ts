import type { Tx } from '@evaluation/database';
import { jittered } from '@evaluation/platform/backoff';
import type { Actor } from '@evaluation/platform/signed-actor';
import { sql } from 'kysely';
import { isChange, readGuidable, type GuidableResult, type SkipReason } from '../../guides/guidable.ts';
import { deleteGuideMarks, insertGuideMarks } from '../../guides/guideMarks.ts';
import { changesOf, predictMarks } from '../../guides/inForce.ts';
import { audit } from '../../command/audit.ts';
import { marksChanged } from '../review/marksChanged.ts';
import { startRounds, type Rounds } from '../../command/rounds.ts';
import type { Services } from '../../command/services.ts';
import {
  lockApplication,
  readApplication,
  shownApplication,
  storeProgress,
  type Application,
  type Pass,
  type StoredApplication,
} from './applications.ts';
import { nextSubmissions } from './nextSubmissions.ts';
import { readGuideSettings } from './settings.ts';
import { counted, NO_RESULTS, type Outcome } from './tally.ts';

/*
 * A pass of an application over the candidates of its exam, in the order of their ids (applications.ts). A transaction
 * does the next PORTION of candidates: it locks their live submissions and then the application, changes marks, counts,
 * and moves `after_candidate`. So a pass that is killed continues where it stopped, and two processes at once change
 * nothing twice. A preview locks no submission. The exam is not locked, so other commands go on.
 */

/** Submissions of one transaction: 200 long answers each of 20,000 characters take 80 MB. */
const PORTION = 20;

/** Time that a call works on a pass. */
const WORK_MS = 2000;

/** Works on a pass for a call. */
export const workAndShow = async (
  services: Pick<Services, 'database'>,
  { institute_id }: Actor,
  { exam_id, number }: { exam_id: string; number: number },
): Promise<Application> => {
  await workOnPass(services, { institute_id, exam_id, number }, { ms: WORK_MS });
  return shownApplication(
    await services.database.inTenant(institute_id, (tx) =>
      readApplication(tx, institute_id, { exam_id, number }),
    ),
  );
};

interface PassOf {
  institute_id: string;
  exam_id: string;
  number: number;
}

/**
 * Works on a pass until it has ended, the time is over or `signal` is aborted. May run in several processes at once.
 */
export const workOnPass = async (
  { database }: Pick<Services, 'database'>,
  pass: PassOf,
  { ms, signal }: { ms: number; signal?: AbortSignal },
): Promise<void> => {
  const until = performance.now() + ms;
  while (performance.now() < until && signal?.aborted !== true) {
    if (!(await database.inTenant(pass.institute_id, (tx) => passPortion(tx, pass)))) return;
  }
};

/** @returns false if the pass has ended */
const passPortion = async (tx: Tx, { institute_id: instituteId, ...named }: PassOf): Promise<boolean> => {
  const seen = await readApplication(tx, instituteId, named);
  if (seen.has_ended) return false;
  const next = await nextSubmissions(tx, instituteId, seen.exam_id, seen.after_candidate, PORTION);
  const submissions = seen.pass === 'preview' ? [] : await lockSubmissions(tx, instituteId, next);
  // A submission was replaced or deleted at this moment; the next transaction looks again.
  if (seen.pass !== 'preview' && submissions.length < next.length) return true;
  const application = await lockApplication(tx, instituteId, named);
  if (application.has_ended) return false;
  // While this process waited for the lock, another process has done the portion, or an undo has begun.
  if (application.pass !== seen.pass || application.after_candidate !== seen.after_candidate) return true;
  const ids = next.map(({ id }) => id);
  const { decided, changed } = await PASSES[application.pass](tx, instituteId, application, ids);
  for (const submission of submissions) {
    if (changed.has(submission.id)) await marksChanged(tx, instituteId, submission);
  }
  if (application.pass !== 'preview') await auditChanges(tx, application, decided);
  const hasEnded = next.length < PORTION;
  await storeProgress(tx, instituteId, application, {
    tally: decided.reduce(
      (tally, { outcome }) => counted(tally, outcome),
      application.counts[application.pass] ?? NO_RESULTS,
    ),
    afterCandidate: next.at(-1)?.candidate_id ?? application.after_candidate,
    hasEnded,
  });
  return !hasEnded;
};

/** Locks the submissions of a portion in the order of their ids, without those that are not live any more. */
const lockSubmissions = (tx: Tx, instituteId: string, found: readonly { id: string }[]) =>
  tx
    .selectFrom('submissions')
    .select(['id', 'current_run_id', 'review_reasons', 'approved_at', 'lane'])
    .where('institute_id', '=', instituteId)
    .where(sql<boolean>`id = any(${found.map(({ id }) => id)}::uuid[])`)
    .where('state', '=', 'live')
    .orderBy('id')
    .forUpdate()
    .execute();

interface Portion {
  decided: { result: GuidableResult; outcome: Outcome }[];
  /** Submissions that need new totals, flags and checked copies. */
  changed: ReadonlySet<string>;
}

type DoPortion = (
  tx: Tx,
  instituteId: string,
  application: StoredApplication,
  submissionIds: readonly string[],
) => Promise<Portion>;

const predicted = async (...[tx, instituteId, application, submissionIds]: Parameters<DoPortion>) => {
  const { passing_stopped_at } = await readGuideSettings(tx, instituteId, application.exam_id);
  const at = { isStopped: passing_stopped_at !== null, isCompleting: false };
  return predictMarks(tx, instituteId, application, submissionIds, at);
};

const previewMarks: DoPortion = async (...portion) => ({
  decided: await predicted(...portion),
  changed: new Set(),
});

const applyMarks: DoPortion = async (tx, instituteId, application, submissionIds) => {
  const decided = await predicted(tx, instituteId, application, submissionIds);
  const marks = changesOf(decided);
  const { number, actor } = application;
  await insertGuideMarks(tx, instituteId, { number, keyId: actor.key_id }, marks);
  return { decided, changed: new Set(marks.map(({ result }) => result.submission_id)) };
};

/**
 * Deletes the marks of the application. A guide's mark that a teacher has confirmed, or that is finalized, stays. One
 * that a teacher has replaced is deleted below the teacher's mark, so that it does not return if that is withdrawn.
 */
const undoMarks: DoPortion = async (tx, instituteId, { number }, submissionIds) => {
  const results = await readGuidable(tx, instituteId, submissionIds);
  const changed = await deleteGuideMarks(tx, instituteId, number, submissionIds);
  const markNow = new Map(
    (await readGuidable(tx, instituteId, [...changed])).map(({ run_id, question_id, guided, grader }) => [
      `${run_id} ${question_id}`,
      guided?.mark ?? grader,
    ]),
  );
  const decided = results.flatMap((result) => {
    const { guided, run_id, question_id } = result;
    if (guided?.application !== number) return [];
    const after = markNow.get(`${run_id} ${question_id}`) ?? guided.mark;
    const restored = { before: guided.mark, after, passes: false, audited: false };
    return [{ result, outcome: reasonToStay(result) ?? restored }];
  });
  return { decided, changed };
};

const reasonToStay = ({ is_finalized, is_approved, override }: GuidableResult): SkipReason | null => {
  if (is_finalized) return 'finalized';
  return is_approved || override !== null ? 'teacher' : null;
};

const PASSES: Readonly<Record<Pass, DoPortion>> = {
  preview: previewMarks,
  apply: applyMarks,
  undo: undoMarks,
};

const auditChanges = (
  tx: Tx,
  { actor, exam_id, number, pass, versions }: StoredApplication,
  decided: Portion['decided'],
): Promise<void> =>
  audit(
    tx,
    actor,
    decided.flatMap(({ result: { submission_id, question_id }, outcome }) => {
      if (typeof outcome === 'string' || !isChange(outcome)) return [];
      const isApplied = pass === 'apply';
      return [
        {
          action: isApplied ? ('guide_apply' as const) : ('guide_undo' as const),
          exam_id,
          submission_id,
          question_id,
          reviewer: actor.key_id,
          reason: null,
          before: { ...outcome.before },
          after: {
            ...outcome.after,
            ...(isApplied ? { guide_version: versions[question_id] } : {}),
            application: number,
          },
        },
      ];
    }),
  );

/** After this time without progress, a round of core continues a pass, because its caller has probably stopped. */
const LEFT_ALONE_SECONDS = 10;
const ROUND_MS = 5000;
const BATCH = 20;
/** Time for one application in a round, so that a large exam does not delay others for long. */
const SHARE_MS = 5000;

/** Continues passes whose callers have stopped, in all institutes, in turn for some seconds each. */
export const startGuidePasses = (services: Services): Rounds =>
  startRounds(services.log, {
    what: 'applying guides',
    pauseMs: () => jittered(ROUND_MS),
    round: (signal) => continueGuidePasses(services, signal),
  });

export const continueGuidePasses = async (
  services: Pick<Services, 'database' | 'log'>,
  signal: AbortSignal,
  leftAloneSeconds = LEFT_ALONE_SECONDS,
): Promise<void> => {
  const { rows } = await services.database.acrossInstitutes((tx) =>
    unfinishedPasses(leftAloneSeconds).execute(tx),
  );
  for (const pass of rows) {
    if (signal.aborted) return;
    try {
      await workOnPass(services, pass, { ms: SHARE_MS, signal });
    } catch (error) {
      services.log.warn({ err: error, ...pass }, 'pass of a guide failed; a later round continues it');
    }
  }
};

const unfinishedPasses = (leftAloneSeconds: number) => sql<PassOf>`
  select institute_id, exam_id, number from guide_applications
  where ended_at is null and pass <> 'preview'
    and worked_at < clock_timestamp() - make_interval(secs => ${leftAloneSeconds})
  order by worked_at limit ${BATCH}`;
