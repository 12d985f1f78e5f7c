import { sql } from 'kysely';
import { jittered } from '@evaluation/backoff';
import type { Tx } from '@evaluation/database';
import { announceStop } from '../runs/stopRun.ts';
import { startRounds, type Rounds } from '../rounds.ts';
import type { Services } from '../services.ts';
import { unreachable } from '../unreachable.ts';
import { forgetCandidate } from './forgetCandidate.ts';
import { removeFilesOf } from './eraseFiles.ts';
import { eraseSubmission } from './eraseSubmission.ts';
import { findForOperator, type WantedCandidate } from './findForOperator.ts';

/*
 * Erases what says something of a candidate or of their answers (docs/operations.md, "Data of a candidate"). Ids, marks,
 * statuses and credits stay, so that accounts and statistics add up.
 *
 *   marked ──▶ rows blanked, a transaction a submission ──▶ outcomes of requests ──▶ files removed ──▶ settled
 *
 * - marked: `candidates.erased_at`, and a row in `erasures` that says what is left. Nobody submits for the candidate any
 *   more: who names its id is refused, who names its external id makes a new candidate. The external id stays in
 *   `erasures`, and nowhere else, until the files are gone, so that asking again goes on.
 * - rows: `submissions.erased_at`. A run that goes on is stopped; its worker's fence refuses what it still records.
 * - files: after the rows, which name them by ids alone. `files_gone_up_to` is how far it went.
 * - settled: what a worker, a signed address or a request in flight put into the store after that is removed some hours
 *   later, when none of them lives any more.
 *
 * Each step may be done twice, and by several at once. Whoever dies on the way leaves rows that say what is left: a
 * round of core's goes on, and so does asking again.
 */

/** Of one call: some seconds of work, well within the patience of its caller. */
const PORTION = 25;

export interface Erasure {
  candidate_id: string;
  /** Submissions whose rows or files are still to be erased: ask again. */
  remaining: number;
  /** When rows and files were gone; null while some remain. */
  files_removed_at: string | null;
  submissions: number;
}

/**
 * Does a portion of the work. @returns what is left; asking for a candidate that is erased changes nothing
 * @throws DomainFailure not_found
 */
export const eraseCandidate = async (services: Services, wanted: WantedCandidate): Promise<Erasure> => {
  const { institute_id } = wanted;
  const id = await services.database.inTenant(institute_id, async (tx) => {
    const found = await findForOperator(tx, wanted);
    await mark(tx, institute_id, found);
    return found;
  });
  await goOn(services, { institute_id, candidate_id: id }, new AbortController().signal);
  return services.database.inTenant(institute_id, (tx) => standing(tx, institute_id, id));
};

/** Under the candidate's own lock, which a submission for it waits for or is waited for: see `takeCandidate`. */
const mark = async (tx: Tx, instituteId: string, id: string): Promise<void> => {
  const candidate = await tx
    .selectFrom('candidates')
    .select(['external_id', 'erased_at'])
    .where('institute_id', '=', instituteId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (candidate.erased_at !== null) return;
  await tx
    .insertInto('erasures')
    .values({ candidate_id: id, institute_id: instituteId, external_id: candidate.external_id })
    .execute();
  const erasedId = `erased-${id}`;
  await tx
    .updateTable('candidates')
    .set({
      // Nothing keeps an institute from having called somebody else so.
      external_id: sql<string>`${erasedId}::text || case when exists (select from candidates other
        where other.institute_id = ${instituteId} and other.external_id = ${erasedId}) then '-' || gen_random_uuid()
        else '' end`,
      name: null,
      roll_number: null,
      section_or_class: null,
      metadata: null,
      erased_at: sql<Date>`clock_timestamp()`,
    })
    .where('institute_id', '=', instituteId)
    .where('id', '=', id)
    .execute();
};

interface Marked {
  institute_id: string;
  candidate_id: string;
}

/** A portion of what is left of an erasure: rows first, then files. */
const goOn = async (services: Services, marked: Marked, signal: AbortSignal): Promise<void> => {
  const { institute_id, candidate_id } = marked;
  const submissions = await services.database.inTenant(institute_id, (tx) =>
    tx
      .selectFrom('submissions')
      .select(['id', 'exam_id'])
      .where('institute_id', '=', institute_id)
      .where('candidate_id', '=', candidate_id)
      .where('erased_at', 'is', null)
      .orderBy('id')
      .limit(PORTION)
      .execute(),
  );
  for (const submission of submissions) {
    if (signal.aborted) return;
    const stopped = await services.database.inTenant(institute_id, (tx) =>
      eraseSubmission(tx, institute_id, submission),
    );
    await announceStop(services, stopped);
  }
  if (submissions.length === PORTION) return;
  const erasure = await services.database.inTenant(institute_id, (tx) =>
    tx
      .selectFrom('erasures')
      .select(['files_gone_up_to', 'files_removed_at'])
      .where('institute_id', '=', institute_id)
      .where('candidate_id', '=', candidate_id)
      .executeTakeFirstOrThrow(),
  );
  if (erasure.files_removed_at !== null) return;
  if (erasure.files_gone_up_to === null) {
    // After the rows: who was about to store an outcome held a lock that they have waited for.
    await services.database.inTenant(institute_id, (tx) => forgetCandidate(tx, institute_id, candidate_id));
  }
  const upTo = await removeFilesOf(services, marked, {
    after: erasure.files_gone_up_to,
    limit: PORTION,
    signal,
  });
  await services.database.inTenant(institute_id, (tx) =>
    tx
      .updateTable('erasures')
      .set(
        upTo === null
          ? { files_gone_up_to: null, files_removed_at: sql<Date>`clock_timestamp()`, external_id: null }
          : { files_gone_up_to: upTo },
      )
      .where('institute_id', '=', institute_id)
      .where('candidate_id', '=', candidate_id)
      .where('files_removed_at', 'is', null)
      .execute(),
  );
};

const standing = async (tx: Tx, instituteId: string, candidateId: string): Promise<Erasure> => {
  const { rows } = await sql<{ submissions: number; remaining: number; files_removed_at: Date | null }>`
    select count(s.id)::int as submissions, e.files_removed_at,
      (count(s.id) filter (where s.erased_at is null or (e.files_removed_at is null
        and (e.files_gone_up_to is null or s.id > e.files_gone_up_to))))::int as remaining
    from erasures e
    left join submissions s on s.institute_id = e.institute_id and s.candidate_id = e.candidate_id
    where e.institute_id = ${instituteId} and e.candidate_id = ${candidateId}
    group by e.candidate_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('an erasure is missing after it was begun');
  return {
    candidate_id: candidateId,
    submissions: row.submissions,
    remaining: row.remaining,
    files_removed_at: row.files_removed_at?.toISOString() ?? null,
  };
};

/** Whoever asked is given this long to ask again. */
const LEFT_ALONE_MINUTES = 5;
/** A client's address to PUT to is good for an hour, and a slow PUT may begin at its end; all others end before. */
const LATE_WRITE_HOURS = 3;
/** Erasures that are looked up at once. */
const BATCH = 20;
/** Begins rounds that go on with erasures which were cut short, and look once more for files that came late. */
export const startErasures = (services: Services): Rounds => {
  const resting: Resting = new Map();
  return startRounds(services.log, {
    what: 'erasing candidates',
    pauseMs: () => jittered(services.settings.files.roundSeconds * 1000),
    round: (signal) => eraseWhatIsLeft(services, signal, resting),
  });
};

/** Candidates whose erasure failed here, and until when it is left alone; by the process' own clock, and lost with it. */
type Resting = Map<string, number>;
/** A file that is held is held for long: neither the store nor the log has to hear of it each minute. */
const REST_MS = 15 * 60_000;

/**
 * One round: a portion of each erasure that is due. One that fails stops no other, and is tried again after a while.
 * @throws when the store or the database is away: the next round goes on
 */
export const eraseWhatIsLeft = async (
  services: Services,
  signal: AbortSignal,
  resting: Resting = new Map(),
): Promise<void> => {
  const failed: { candidate_id: string; error: unknown }[] = [];
  let due: Due[] = [];
  do {
    const after = due.at(-1) ?? null;
    ({ rows: due } = await services.database.acrossInstitutes((tx) => dueErasures(after).execute(tx)));
    for (const { files_removed_at, ...marked } of due) {
      if (signal.aborted) return;
      if ((resting.get(marked.candidate_id) ?? 0) > performance.now()) continue;
      try {
        if (files_removed_at === null) await goOn(services, marked, signal);
        else await settle(services, marked, signal);
        resting.delete(marked.candidate_id);
      } catch (error) {
        if (unreachable(error) !== null || signal.aborted) throw error;
        resting.set(marked.candidate_id, performance.now() + REST_MS);
        failed.push({ candidate_id: marked.candidate_id, error });
      }
    }
  } while (due.length === BATCH);
  const [first] = failed;
  if (first === undefined) return;
  services.log.warn(
    { err: first.error, candidate_id: first.candidate_id, failed: failed.length },
    'candidates could not be erased; they are tried again later',
  );
};

interface Due extends Marked {
  files_removed_at: Date | null;
  requested_at: Date;
}

/** By itself, so that a test can look at its plan. In the order of their times: what fails stands in nobody's way. */
export const dueErasures = (after: Pick<Due, 'requested_at' | 'candidate_id'> | null) => sql<Due>`
  select institute_id, candidate_id, files_removed_at, requested_at from erasures
  where settled_at is null and requested_at < now() - make_interval(mins => ${LEFT_ALONE_MINUTES})
    and (files_removed_at is null or files_removed_at < now() - make_interval(hours => ${LATE_WRITE_HOURS}))
    ${
      after === null
        ? sql``
        : sql`and (requested_at, candidate_id) > (${after.requested_at.toISOString()}::timestamptz, ${after.candidate_id}::uuid)`
    }
  order by requested_at, candidate_id limit ${BATCH}`;

const settle = async (services: Services, marked: Marked, signal: AbortSignal): Promise<void> => {
  for (let after: string | null = null; ;) {
    after = await removeFilesOf(services, marked, { after, limit: PORTION, signal });
    if (after === null) break;
  }
  if (signal.aborted) return;
  await services.database.inTenant(marked.institute_id, (tx) =>
    tx
      .updateTable('erasures')
      .set({ settled_at: sql<Date>`clock_timestamp()` })
      .where('institute_id', '=', marked.institute_id)
      .where('candidate_id', '=', marked.candidate_id)
      .execute(),
  );
};
