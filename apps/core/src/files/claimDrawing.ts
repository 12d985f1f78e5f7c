import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { Ink } from '@evaluation/rules/marked-page';
import * as z from 'zod/v4';
import type { Services } from '../command/services.ts';
import { CurrentPaper } from '../exams/paper/paper.ts';
import { unreachable } from '../command/unreachable.ts';
import { TurnedPages } from '../command/workerCalls/workerInput.ts';
import { newClaim } from '../command/workerCalls/claimToken.ts';
import { DRAWING_SECONDS, GIVEN_UP, putOff } from './drawings.ts';
import { Candidate, DecidedQuestion, OverrideInForce } from '../exams/paper/markedMaterial.ts';
import { readCandidate, readDecided, readInk, readOverrides } from '../exams/paper/markedMaterial.ts';

export const LARGEST_COUNT = 2 ** 31 - 1;

export const DrawingJob = z.object({
  submission_id: z.uuid(),
  institute_id: z.uuid(),
  delivery: z.int().min(1).lte(LARGEST_COUNT),
});
export type DrawingJob = z.infer<typeof DrawingJob>;

const Pinned = CurrentPaper.pick({ exam: true, questions: true });

/** Material of a drawing job. It has no credentials, and a name only if the copy prints it. */
const DrawingMaterial = z.object({
  attempt: z.int().min(1),
  /** Must be sent with every later call about this drawing. */
  token: z.string(),
  /** Revision of the marks. The drawing is dropped if the marks have another revision when it is recorded. */
  revision: z.int(),
  /** After this time another worker may claim the drawing. */
  deadline_at: z.iso.datetime(),
  source_url: z.string(),
  exam: z.object({ title: z.string() }),
  candidate: Candidate,
  questions: Pinned.shape.questions,
  results: z.array(DecidedQuestion),
  overrides: z.array(OverrideInForce),
  ink: z.array(Ink),
  turned_pages: TurnedPages,
});
type DrawingMaterial = z.infer<typeof DrawingMaterial>;

/**
 * Claims a released drawing and counts the attempt. Returns null for an old or repeated message. If nothing is left to
 * draw, deletes the row in `copy_drawings` and returns null.
 */
export const claimDrawing = async (services: Services, job: DrawingJob): Promise<DrawingMaterial | null> => {
  try {
    const material = await claim(services, job);
    if (material === null) services.wakeDispatcher('draw');
    return material;
  } catch (error) {
    // If `putOff` fails too, the message is delivered again.
    if (unreachable(error) === null) {
      const isGivenUp = await services.database.inTenant(job.institute_id, (tx) => putOff(tx, job, false));
      if (isGivenUp) services.log.warn({ err: error, id: job.submission_id, lane: 'draw' }, GIVEN_UP);
    }
    throw error;
  }
};

const claim = async (services: Services, job: DrawingJob): Promise<DrawingMaterial | null> => {
  const { token, sha256 } = newClaim();
  const claimed = await services.database.inTenant(job.institute_id, async (tx) => {
    const submission = await findDrawable(tx, job);
    if (submission === undefined) {
      await deleteRequest(tx, job);
      return null;
    }
    const drawing = await tx
      .updateTable('copy_drawings')
      .set({
        claimed_at: sql<Date>`clock_timestamp()`,
        attempts: sql<number>`attempts + 1`,
        claim_token_sha256: sha256,
        claim_token_delivery: job.delivery,
      })
      .where('institute_id', '=', job.institute_id)
      .where('submission_id', '=', job.submission_id)
      .where('delivery', '=', job.delivery)
      .where(sql<boolean>`claim_token_delivery is distinct from delivery`)
      // If a change of marks has reset `released_at`, a new message will follow.
      .where('released_at', 'is not', null)
      .returning('attempts')
      .executeTakeFirst();
    if (drawing === undefined) return null;
    const { exam, questions } = Pinned.parse(submission.paper);
    const material = {
      attempt: drawing.attempts,
      token,
      revision: submission.marks_revision,
      exam: { title: exam.title },
      questions,
      candidate: await readCandidate(tx, job.institute_id, submission),
      results: await readDecided(tx, { institute_id: job.institute_id, run_id: submission.current_run_id }),
      overrides: await readOverrides(tx, job.institute_id, submission.id),
      ink: (await readInk(tx, job.institute_id, submission.id)).map(({ ink }) => ink),
      turned_pages: TurnedPages.parse(submission.turned_pages),
    };
    return { material, sealedKey: submission.sealed_key };
  });
  if (claimed === null) return null;
  return {
    ...claimed.material,
    deadline_at: new Date(Date.now() + DRAWING_SECONDS * 1000).toISOString(),
    source_url: await services.objects.presignGet(claimed.sealedKey, { expiresInSeconds: DRAWING_SECONDS }),
  };
};

/**
 * Finds a graded copy without a drawing of its present marks; a copy in grading is drawn by its run. Locks the
 * submission, because a change of marks requests its drawing under the same lock.
 */
const findDrawable = async (tx: Tx, job: DrawingJob) => {
  const submission = await tx
    .selectFrom('submissions as s')
    .innerJoin('runs as r', (join) =>
      join.onRef('r.institute_id', '=', 's.institute_id').onRef('r.id', '=', 's.current_run_id'),
    )
    .innerJoin('uploads as u', (join) =>
      join.onRef('u.institute_id', '=', 's.institute_id').onRef('u.id', '=', 's.upload_id'),
    )
    .select([
      's.id',
      's.exam_id',
      's.candidate_id',
      's.current_run_id',
      's.marks_revision',
      's.state',
      's.status',
      'r.paper',
      'r.turned_pages',
      'u.sealed_key',
    ])
    .where('s.institute_id', '=', job.institute_id)
    .where('s.id', '=', job.submission_id)
    .forUpdate('s')
    .executeTakeFirst();
  if (submission === undefined || submission.state === 'deleted' || submission.sealed_key === null)
    return undefined;
  if (submission.status !== 'graded' && submission.status !== 'partially_graded') return undefined;
  const drawn = await tx
    .selectFrom('checked_copies')
    .select('submission_id')
    .where('institute_id', '=', job.institute_id)
    .where('submission_id', '=', submission.id)
    .where('marks_revision', '=', submission.marks_revision)
    .executeTakeFirst();
  return drawn === undefined ? { ...submission, sealed_key: submission.sealed_key } : undefined;
};

const deleteRequest = async (tx: Tx, job: DrawingJob): Promise<void> => {
  await tx
    .deleteFrom('copy_drawings')
    .where('institute_id', '=', job.institute_id)
    .where('submission_id', '=', job.submission_id)
    .execute();
};
