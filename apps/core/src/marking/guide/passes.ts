import type { Tx } from '@evaluation/database';
import { jittered } from '@evaluation/platform/backoff';
import { sql } from 'kysely';
import { startRounds, type Rounds } from '../../command/rounds.ts';
import type { Services } from '../../command/services.ts';
import { applyToSubmission } from './applyToSubmission.ts';
import { lockApplication, readApplication, storeProgress, type StoredApplication } from './applications.ts';
import { nextSubmissions } from './nextSubmissions.ts';
import { lockSubmissionOf } from './lockSubmissionOf.ts';
import { undoOnSubmission } from './undoOnSubmission.ts';

/** The steps that change marks, candidate by candidate (applications.ts). */

type Needed = Pick<Services, 'database'>;

/**
 * Works on an application until its pass has ended, the time is over or `signal` is aborted. May run in several
 * processes at once.
 */
export const workOnPass = async (
  { database }: Needed,
  { institute_id, id }: { institute_id: string; id: string },
  { ms, signal }: { ms: number; signal?: AbortSignal },
): Promise<void> => {
  const until = performance.now() + ms;
  while (performance.now() < until && signal?.aborted !== true) {
    const goesOn = await database.inTenant(institute_id, (tx) => passOneCandidate(tx, institute_id, id));
    if (!goesOn) return;
  }
};

/** @returns false if the pass has ended */
const passOneCandidate = async (tx: Tx, instituteId: string, id: string): Promise<boolean> => {
  const seen = await readApplication(tx, instituteId, id);
  if (!isPassing(seen)) return false;
  const [next] = await nextSubmissions(tx, instituteId, seen.exam_id, seen.after_candidate, 1);
  // A submission that is replaced or deleted at this moment is not found; the next transaction looks again.
  const submission = next === undefined ? null : await lockSubmissionOf(tx, instituteId, next.id);
  if (next !== undefined && submission === null) return true;
  const application = await lockApplication(tx, instituteId, id);
  if (!isPassing(application)) return false;
  // While this process waited for the lock, another process has passed the candidate.
  if (application.step !== seen.step || application.after_candidate !== seen.after_candidate) return true;
  const tally = application.step === 'applying' ? application.applied : application.undone;
  if (tally === null) throw new Error(`application ${id} is ${application.step} without a tally`);
  if (submission === null) {
    const end = application.step === 'applying' ? 'applied' : 'undone';
    await storeProgress(tx, instituteId, application, {
      tally,
      afterCandidate: application.after_candidate,
      end,
    });
    return false;
  }
  const change = application.step === 'applying' ? applyToSubmission : undoOnSubmission;
  await storeProgress(tx, instituteId, application, {
    tally: await change(tx, instituteId, application, submission, tally),
    afterCandidate: submission.candidate_id,
  });
  return true;
};

const isPassing = ({ step }: StoredApplication): boolean => step === 'applying' || step === 'undoing';

/** After this time without progress, a round of core continues a pass, because its caller has probably stopped. */
const LEFT_ALONE_SECONDS = 10;
const ROUND_MS = 5000;
const BATCH = 20;

/** Continues passes whose callers have stopped, in all institutes, in turn for some seconds each. */
export const startGuidePasses = (services: Services): Rounds =>
  startRounds(services.log, {
    what: 'applying guides',
    pauseMs: () => jittered(ROUND_MS),
    round: (signal) => continueGuidePasses(services, signal),
  });

/** Time for one application in a round, so that a large exam does not delay others for long. */
const SHARE_MS = 5000;

export const continueGuidePasses = async (
  services: Pick<Services, 'database' | 'log'>,
  signal: AbortSignal,
  leftAloneSeconds = LEFT_ALONE_SECONDS,
): Promise<void> => {
  const { rows } = await services.database.acrossInstitutes((tx) =>
    unfinishedPasses(leftAloneSeconds).execute(tx),
  );
  for (const application of rows) {
    if (signal.aborted) return;
    try {
      await workOnPass(services, application, { ms: SHARE_MS, signal });
    } catch (error) {
      services.log.warn(
        { err: error, institute_id: application.institute_id, application_id: application.id },
        'pass of a guide failed; a later round continues it',
      );
    }
  }
};

const unfinishedPasses = (leftAloneSeconds: number) => sql<{ institute_id: string; id: string }>`
  select institute_id, id from guide_applications
  where (step = 'applying' or step = 'undoing')
    and worked_at < clock_timestamp() - make_interval(secs => ${leftAloneSeconds})
  order by worked_at limit ${BATCH}`;
