import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { messageId } from '@evaluation/lanes';
import type { JobQueue } from '../jobs/releaseJobs.ts';

/*
 * Checked copies that are drawn anew (docs/architecture.md#checked-copy): a row in `copy_drawings` from the moment a teacher's mark changed what
 * the last drawing shows, until a drawing of the present marks is stored. Rows wait for their turn and are released as
 * inspections are (releaseJobs.ts).
 *
 *   wanted (released_at null) ──release──▶ released ──claim──▶ begun (claimed_at) ──▶ drawn: the row is gone
 *      ▲                                  │ message lost      │ nothing came of it in time, handed back, or the marks
 *      └──────────────────────────────────┴───────────────────┘ have changed meanwhile; it failed: after a rest
 *
 * `delivery` says which worker has it: one with another number has an old message, or took too long. A change of marks holds
 * the submission's lock and asks anew, which forgives past attempts; a worker's claim and its drawing are taken under
 * the same lock, so what is stored always shows the marks of its revision.
 */

/** From the claim: drawing takes seconds, and a minute or so where the machine is busy and the scan is large. */
export const DRAWING_SECONDS = 120;
/** A copy that this many workers have begun, and none has drawn, stays without a checked copy until its marks change. */
const MAX_ATTEMPTS = 3;
/** From a try that failed to the next: what ails a machine is over, and other drawings go first. */
const REST_SECONDS = 60;

export const GIVEN_UP = 'a checked copy could not be drawn anew; it stays unavailable until the marks change';

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
  // Numbered across all rows: a request that comes again is another row, and its message another message.
  release: sql`delivery = nextval('copy_drawing_deliveries')`,
  wait: sql`released_at = null, claimed_at = null`,
  patienceSeconds: () => DRAWING_SECONDS,
  publish: ({ lanes }, { id, institute_id, delivery }) =>
    lanes.publish('draw', { version: 1, submission_id: id, institute_id, delivery }, messageId(id, delivery)),
  giveUp: (overdue) => sql`
    delete from copy_drawings where ${overdue} and attempts >= ${MAX_ATTEMPTS} returning submission_id as id`,
  givenUp: GIVEN_UP,
};

/** The marks of a copy have changed: what was drawn does not match them any more. */
export const requestDrawing = async (tx: Tx, instituteId: string, submissionId: string): Promise<void> => {
  await tx
    .insertInto('copy_drawings')
    .values({ submission_id: submissionId, institute_id: instituteId })
    .onConflict((conflict) =>
      conflict.column('submission_id').doUpdateSet({ released_at: null, claimed_at: null, attempts: 0 }),
    )
    .execute();
};

/** Sends a drawing back to wait, unless it was delivered anew meanwhile. */
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
 * A try that came to nothing, for a reason of the copy's own: it leaves its place to others and is tried again after a
 * while, and in the end no more. @param counted whether its claim has counted the try
 * @returns whether it was given up
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
