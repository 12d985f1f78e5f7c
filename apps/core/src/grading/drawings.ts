import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { LaneUnavailable, messageId } from '@evaluation/lanes';
import type { Services } from '../services.ts';

/*
 * Checked copies that are drawn anew (design 3.13): a row in `copy_drawings` from the moment a teacher's mark changed what
 * the last drawing shows, until a drawing of the present marks is stored.
 *
 *   wanted (released_at null) ──tick──▶ released ──claim──▶ begun ──▶ drawn: the row is gone
 *      ▲                                  │ message lost      │ nothing came of it in time, handed back, or the marks
 *      └──────────────────────────────────┴───────────────────┘ have changed meanwhile
 *
 * `delivery` says whose it is: a worker with another one has an old message, or took too long. A change of marks holds
 * the submission's lock and asks anew, which forgives past attempts; a worker's claim and its drawing are taken under
 * the same lock, so what is stored always shows the marks of its revision. When core dies between commit and
 * publication, the message is missed like one that the lane has lost.
 */

/** From the claim: drawing takes seconds, and a minute or so where the machine is busy and the scan is large. */
export const DRAWING_SECONDS = 120;
/** A copy that this many workers have begun, and none has drawn, stays without a checked copy until its marks change. */
const MAX_ATTEMPTS = 3;
/** Out at once. Few, so that who comes next does not wait behind all copies of an institute that reviews in bulk. */
const MOST_OUT = 64;
const MOST_GIVEN_UP = 100;

interface Drawing {
  submission_id: string;
  institute_id: string;
  delivery: number;
}

/** The marks of a copy have changed: what was drawn does not match them any more. */
export const requestDrawing = async (tx: Tx, instituteId: string, submissionId: string): Promise<void> => {
  await tx
    .insertInto('copy_drawings')
    .values({ submission_id: submissionId, institute_id: instituteId })
    .onConflict((conflict) =>
      conflict.column('submission_id').doUpdateSet({ released_at: null, attempts: 0 }),
    )
    .execute();
};

/** A part of the dispatcher's tick: puts wanted drawings into their lane, and those again of which nothing came. */
export const releaseDrawings = async (services: Services): Promise<void> => {
  const { rows } = await services.database.acrossInstitutes((tx) =>
    sql<{ due: boolean }>`select exists (select from copy_drawings d where ${isDue(null)}) as due`.execute(
      tx,
    ),
  );
  if (rows[0]?.due !== true) return;
  let oldest: Date | null;
  try {
    oldest = await services.lanes.oldest('draw');
  } catch (error) {
    // There would be nowhere to publish to: the next tick asks again.
    if (error instanceof LaneUnavailable) return;
    throw error;
  }
  const { givenUp, released } = await services.database.acrossInstitutes(async (tx) => ({
    givenUp: (await giveUp(oldest).execute(tx)).rows,
    released: (await release(oldest).execute(tx)).rows,
  }));
  for (const { submission_id } of givenUp) {
    services.log.warn(
      { submission_id, attempts: MAX_ATTEMPTS },
      'a checked copy could not be drawn anew; it stays unavailable until the marks change',
    );
  }
  await Promise.all(released.map((drawing) => publish(services, drawing)));
};

/**
 * Wanted, or released so long ago that its worker or its message is gone. A lane is in order: one that is younger than
 * the lane's oldest message may merely wait for a worker there.
 * @param oldest when the oldest message in the lane was published; null when there is none
 */
const isDue = (oldest: Date | null) => sql<boolean>`(d.released_at is null or ${isLost(oldest)})`;
const isLost = (oldest: Date | null) =>
  sql<boolean>`d.released_at < least(clock_timestamp(), ${oldest}::timestamptz) - make_interval(secs => ${DRAWING_SECONDS})`;

const giveUp = (oldest: Date | null) => sql<{ submission_id: string }>`
  delete from copy_drawings where submission_id in (
    select d.submission_id from copy_drawings d
    where ${isDue(oldest)} and d.attempts >= ${MAX_ATTEMPTS}
    limit ${MOST_GIVEN_UP} for update skip locked)
  returning submission_id`;

/** In turns over the institutes. */
const release = (oldest: Date | null) => sql<Drawing>`
  with turns as (
    select d.submission_id, row_number() over (partition by d.institute_id order by d.released_at) as turn
    from copy_drawings d where ${isDue(oldest)} and d.attempts < ${MAX_ATTEMPTS}),
  chosen as (
    select d.submission_id from copy_drawings d join turns t on t.submission_id = d.submission_id
    -- Asked again, of the row as it is once it is locked: another replica may have released it meanwhile.
    where ${isDue(oldest)} and d.attempts < ${MAX_ATTEMPTS}
    order by t.turn
    limit greatest(0, ${MOST_OUT}::int - (select count(*) from copy_drawings d where not ${isDue(oldest)}))
    for update of d skip locked)
  update copy_drawings set released_at = clock_timestamp(), delivery = nextval('copy_drawing_deliveries')
  where submission_id in (select submission_id from chosen)
  returning submission_id, institute_id, delivery`;

const publish = async (
  services: Services,
  { submission_id, institute_id, delivery }: Drawing,
): Promise<void> => {
  try {
    await services.lanes.publish(
      'draw',
      { version: 1, submission_id, institute_id, delivery },
      messageId(submission_id, delivery),
    );
  } catch (error) {
    services.log.warn(
      { err: error, submission_id, institute_id },
      'a drawing could not be published; it is wanted again',
    );
    await services.database.inTenant(institute_id, (tx) =>
      wantAgain(tx, { submission_id, institute_id, delivery }),
    );
  }
};

/** Unless somebody else has it by now. */
export const wantAgain = async (
  tx: Tx,
  { submission_id, institute_id, delivery }: Drawing,
  forgiven = 0,
): Promise<void> => {
  await tx
    .updateTable('copy_drawings')
    .set({ released_at: null, attempts: sql<number>`greatest(0, attempts - ${forgiven}::int)` })
    .where('institute_id', '=', institute_id)
    .where('submission_id', '=', submission_id)
    .where('delivery', '=', delivery)
    .execute();
};
