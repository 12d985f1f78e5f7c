import { sql } from 'kysely';
import { jittered } from '@evaluation/platform/backoff';
import type { Tx } from '@evaluation/database';
import { announceStop } from '../grading/runs/stopRun.ts';
import { startRounds, type Rounds } from '../command/rounds.ts';
import type { Services } from '../command/services.ts';
import { unreachable } from '../command/unreachable.ts';
import { forgetCandidate } from './forgetCandidate.ts';
import { removeFilesOf } from './eraseFiles.ts';
import { eraseSubmission } from './eraseSubmission.ts';
import { findForOperator, type WantedCandidate } from './findForOperator.ts';

/*
 * Erases personal data of a candidate (docs/operate/privacy.md#data-of-a-candidate). Ids, marks, statuses and
 * credits stay, so that accounts and statistics add up.
 *
 *   marked ──▶ rows blanked, one transaction for each submission ──▶ stored outcomes ──▶ files removed ──▶ settled
 *
 * - marked: sets `candidates.erased_at` and inserts a row in `erasures` that records the progress. From then on the
 *   candidate's id is refused, and its external id creates a new candidate. `erasures` keeps the external id until the
 *   files are removed, so that a repeated request continues.
 * - rows blanked: sets `submissions.erased_at`. An active run is stopped; the fence refuses later writes of its worker.
 * - files removed: follows the rows, because the remaining rows name the files by ids. `files_gone_up_to` is the
 *   progress.
 * - settled: some hours later files are removed once more. By then no worker, signed URL or request from before the
 *   erasure can still write one.
 *
 * Each step is idempotent and may run concurrently. After a crash the rows show the rest of the work; the periodic
 * round or a repeated request continues.
 */

/** Submissions handled by one call, which takes some seconds; less than the timeout of its caller. */
const PORTION = 25;

interface Erasure {
  candidate_id: string;
  /** Submissions whose rows or files are not erased yet. If not 0, the caller repeats the request. */
  remaining: number;
  /** Time when all rows and files were erased; null before. */
  files_removed_at: string | null;
  submissions: number;
}

/** Erases a portion and returns the progress. @throws DomainFailure not_found */
export const eraseCandidate = async (services: Services, wanted: WantedCandidate): Promise<Erasure> => {
  const { institute_id } = wanted;
  const id = await services.database.inTenant(institute_id, async (tx) => {
    const found = await findForOperator(tx, wanted);
    await mark(tx, institute_id, found);
    return found;
  });
  await eraseNext(services, { institute_id, candidate_id: id }, new AbortController().signal);
  return services.database.inTenant(institute_id, (tx) => readProgress(tx, institute_id, id));
};

/** Marks the candidate under the row lock that a new submission takes too: see `takeCandidate`. */
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
      // Another candidate of the institute may already use this external_id.
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

const eraseNext = async (services: Services, marked: Marked, signal: AbortSignal): Promise<void> => {
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
    // Outcomes follow the rows: `eraseSubmission` has waited for the lock of each request that was about to store one.
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

const readProgress = async (tx: Tx, instituteId: string, candidateId: string): Promise<Erasure> => {
  const { rows } = await sql<{ submissions: number; remaining: number; files_removed_at: Date | null }>`
    select count(s.id)::int as submissions, e.files_removed_at,
      (count(s.id) filter (where s.erased_at is null or (e.files_removed_at is null
        and (e.files_gone_up_to is null or s.id > e.files_gone_up_to))))::int as remaining
    from erasures e
    left join submissions s on s.institute_id = e.institute_id and s.candidate_id = e.candidate_id
    where e.institute_id = ${instituteId} and e.candidate_id = ${candidateId}
    group by e.candidate_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('erasure is missing after its insert');
  return {
    candidate_id: candidateId,
    submissions: row.submissions,
    remaining: row.remaining,
    files_removed_at: row.files_removed_at?.toISOString() ?? null,
  };
};

/** Minutes that the caller has to repeat its request before a round takes over. */
const LEFT_ALONE_MINUTES = 5;
/** An upload URL is valid for an hour, and a slow PUT may start at its end. All other writers end earlier. */
const LATE_WRITE_HOURS = 3;
const BATCH = 20;
export const startErasures = (services: Services): Rounds => {
  const resting: Resting = new Map();
  return startRounds(services.log, {
    what: 'erasing candidates',
    pauseMs: () => jittered(services.settings.files.roundSeconds * 1000),
    round: (signal) => eraseWhatIsLeft(services, signal, resting),
  });
};

/** Candidates whose erasure failed in this process, with the `performance.now()` until which it is not retried. */
type Resting = Map<string, number>;
/** An object under a hold may be refused for days; a retry every minute would only fill the log. */
const REST_MS = 15 * 60_000;

/**
 * Erases a portion of each due erasure; a failed one does not stop the others.
 * @throws if the store or the database is unreachable
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
        if (files_removed_at === null) await eraseNext(services, marked, signal);
        else await removeLateFiles(services, marked, signal);
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
    'erasing candidates failed; a later round tries again',
  );
};

interface Due extends Marked {
  files_removed_at: Date | null;
  requested_at: Date;
}

/** Ordered by time and paged, so that failing erasures do not block later ones. */
const dueErasures = (after: Pick<Due, 'requested_at' | 'candidate_id'> | null) => sql<Due>`
  select institute_id, candidate_id, files_removed_at, requested_at from erasures
  where settled_at is null and requested_at < now() - make_interval(mins => ${LEFT_ALONE_MINUTES})
    and (files_removed_at is null or files_removed_at < now() - make_interval(hours => ${LATE_WRITE_HOURS}))
    ${
      after === null
        ? sql``
        : sql`and (requested_at, candidate_id) > (${after.requested_at.toISOString()}::timestamptz, ${after.candidate_id}::uuid)`
    }
  order by requested_at, candidate_id limit ${BATCH}`;

/** Removes files that arrived after the first removal, and then sets `settled_at`. */
const removeLateFiles = async (services: Services, marked: Marked, signal: AbortSignal): Promise<void> => {
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
