import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { messageId } from '@evaluation/lanes';
import type { JobQueue } from './releaseJobs.ts';

/*
 * Drawings: checked copies that are drawn again (docs/architecture.md#checked-copy). A row in `copy_drawings` exists
 * from a change of marks until a drawing of the present marks is stored. Rows wait and are released like inspections
 * (releaseJobs.ts).
 *
 *   wanted (released_at null) ──release──▶ released ──claim──▶ begun (claimed_at) ──▶ drawn: the row is deleted
 *      ▲                                  │ message lost      │ deadline passed, handed back, failed (after a pause), or
 *      └──────────────────────────────────┴───────────────────┘ the marks have changed meanwhile
 *
 * `delivery` identifies the claim. A worker that sends another number has an old message or missed its deadline. A
 * change of marks holds the submission's lock, requests the drawing anew and resets `attempts`. Claims and recordings
 * take the same lock, so a stored drawing always shows the marks of its revision.
 */

/** Time from the claim to the deadline. Drawing takes seconds, or about a minute for a large scan on a busy machine. */
export const DRAWING_SECONDS = 120;
/** Claims without a drawing after which the request is deleted. The next change of marks makes a new request. */
const MAX_ATTEMPTS = 3;
/** Pause after a failed attempt. Temporary trouble passes meanwhile, and other drawings go first. */
const REST_SECONDS = 60;

export const GIVEN_UP =
  'drawing of a checked copy failed permanently; the copy stays unavailable until the marks change';

interface Drawing {
  submission_id: string;
  institute_id: string;
  delivery: number;
}

export const drawings: JobQueue = {
  lane: 'draw',
  lock: 7_301_123,
  table: 'copy_drawings',
  id: 'submission_id',
  delivery: 'delivery',
  since: 'wanted_at',
  claimedAt: 'claimed_at',
  releasedAt: 'released_at',
  waits: sql`released_at is null`,
  isReady: sql`wanted_at <= clock_timestamp()`,
  isOut: sql`released_at is not null`,
  // One sequence for all rows: a drawing that is requested again is a new row, and its message needs a new id.
  release: sql`delivery = nextval('copy_drawing_deliveries')`,
  wait: sql`released_at = null, claimed_at = null`,
  patienceSeconds: () => DRAWING_SECONDS,
  publish: ({ lanes }, { id, institute_id, delivery }) =>
    lanes.publish('draw', { version: 1, submission_id: id, institute_id, delivery }, messageId(id, delivery)),
  giveUp: (overdue) => sql`
    delete from copy_drawings where ${overdue} and attempts >= ${MAX_ATTEMPTS} returning submission_id as id`,
  givenUp: GIVEN_UP,
};

/** @param delaySeconds a drawing that is not requested yet, or already released, begins no earlier */
export const requestDrawing = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
  delaySeconds = 0,
): Promise<void> => {
  const later = sql<Date>`clock_timestamp() + make_interval(secs => ${delaySeconds})`;
  await tx
    .insertInto('copy_drawings')
    .values({
      submission_id: submissionId,
      institute_id: instituteId,
      ...(delaySeconds === 0 ? {} : { wanted_at: later }),
    })
    .onConflict((conflict) =>
      conflict.column('submission_id').doUpdateSet({
        released_at: null,
        claimed_at: null,
        attempts: 0,
        wanted_at:
          delaySeconds === 0
            ? sql<Date>`least(copy_drawings.wanted_at, clock_timestamp())`
            : sql<Date>`case when copy_drawings.released_at is null then copy_drawings.wanted_at else ${later} end`,
      }),
    )
    .execute();
};

/** Makes a drawing wait again, unless it has a newer delivery. @param forgiven attempts that do not count */
export const wantAgain = async (
  tx: Tx,
  { submission_id, institute_id, delivery }: Drawing,
  forgiven = 0,
): Promise<void> => {
  await tx
    .updateTable('copy_drawings')
    .set({
      released_at: null,
      claimed_at: null,
      attempts: sql<number>`greatest(0, attempts - ${forgiven}::int)`,
    })
    .where('institute_id', '=', institute_id)
    .where('submission_id', '=', submission_id)
    .where('delivery', '=', delivery)
    .execute();
};

/**
 * Makes a drawing wait for REST_SECONDS after a failure that is caused by the copy, and deletes the request after
 * MAX_ATTEMPTS.
 * @param counted true if the claim has already counted this attempt
 * @returns whether the drawing was given up
 */
export const putOff = async (
  tx: Tx,
  { submission_id, institute_id, delivery }: Drawing,
  counted: boolean,
): Promise<boolean> => {
  const failed = await tx
    .updateTable('copy_drawings')
    .set({
      released_at: null,
      claimed_at: null,
      wanted_at: sql<Date>`clock_timestamp() + make_interval(secs => ${REST_SECONDS})`,
      attempts: sql<number>`attempts + ${counted ? 0 : 1}::int`,
    })
    .where('institute_id', '=', institute_id)
    .where('submission_id', '=', submission_id)
    .where('delivery', '=', delivery)
    .returning('attempts')
    .executeTakeFirst();
  if (failed === undefined || failed.attempts < MAX_ATTEMPTS) return false;
  await tx
    .deleteFrom('copy_drawings')
    .where('institute_id', '=', institute_id)
    .where('submission_id', '=', submission_id)
    .execute();
  return true;
};
