import type { BehindTheApi } from '../../harness/ledger.ts';

/*
 * Invariants of an institute's rows after any operations in any order: no illegal state, one live submission per
 * candidate and exam, no lost run, every reservation closed exactly once. Each name states the violation, and its query
 * finds the rows. They read the tables and do not depend on the model.
 */

const OVER = `('completed', 'failed', 'cancelled')`;

const VIOLATIONS: Record<string, string> = {
  'a candidate has two live submissions to an exam': `
    select candidate_id as id from submissions
    where institute_id = $1 and state = 'live' group by exam_id, candidate_id having count(*) > 1`,

  'an exam does not count its live submissions': `
    select e.id from exams e where e.institute_id = $1 and (e.live_submissions, e.live_unfinalized) <> (
      select count(*)::int, (count(*) filter (where s.finalized_at is null))::int
      from submissions s where s.exam_id = e.id and s.state = 'live')`,

  'a submission and its run disagree in status': `
    select s.id from submissions s left join runs r on r.id = s.current_run_id and r.submission_id = s.id
    where s.institute_id = $1 and not coalesce(case s.status
      when 'queued' then r.status in ('queued', 'released') and r.claimed_at is null
      when 'graded' then r.status = 'completed'
      when 'partially_graded' then r.status = 'completed'
      when 'failed' then r.status = 'failed'
      when 'cancelled' then r.status = 'cancelled'
      -- Handed back or reclaimed: the run waits again, and the visible status stays.
      else r.status = 'claimed' or (r.status in ('queued', 'released') and r.claimed_at is not null) end, false)`,

  'an active run is not the current run of a live submission': `
    select r.id from runs r join submissions s on s.id = r.submission_id
    where r.institute_id = $1 and r.status not in ${OVER} and (s.state <> 'live' or s.current_run_id <> r.id)`,

  'attempt_count is not the number of runs, or the current run is not the last': `
    select s.id from submissions s where s.institute_id = $1 and not exists (
      select 1 from runs r where r.submission_id = s.id
      having count(*) = s.attempt_count and max(r.attempt) = s.attempt_count and min(r.attempt) = 1
        and bool_or(r.id = s.current_run_id and r.attempt = s.attempt_count))`,

  'a claimed run has no lease, or another run has one': `
    select id from runs where institute_id = $1 and (status = 'claimed') <> (lease_until is not null)`,

  'an ended run has no time, or an active run has one': `
    select id from runs where institute_id = $1 and (status in ${OVER}) <> (finished_at is not null)`,

  'a run did not reserve its price exactly once': `
    select r.id from runs r left join credit_entries e on e.run_id = r.id and e.kind = 'reserve'
    where r.institute_id = $1 group by r.id
    having count(e.id) <> (case when r.price > 0 then 1 else 0 end) or coalesce(sum(e.amount), 0) <> r.price`,

  'a reservation is not closed exactly once, or before the end of its run': `
    select r.id from runs r left join credit_entries e on e.run_id = r.id and e.kind in ('charge', 'release')
    where r.institute_id = $1 group by r.id
    having count(e.id) <> (case when r.price > 0 and r.status in ${OVER} then 1 else 0 end)
      or bool_or(e.amount <> r.price)
      or bool_or(e.kind <> (case r.status when 'completed' then 'charge' else 'release' end)::"CreditEntryKind")`,

  'the balance differs from grants minus charges': `
    select a.institute_id as id from credit_accounts a where a.institute_id = $1 and a.balance <> (
      select coalesce(sum(case e.kind when 'grant' then e.amount when 'charge' then -e.amount else 0 end), 0)
      from credit_entries e where e.institute_id = a.institute_id)`,

  'committed credits differ from the prices of active runs': `
    select a.institute_id as id from credit_accounts a where a.institute_id = $1 and a.committed <> (
      select coalesce(sum(r.price), 0) from runs r where r.institute_id = $1 and r.status not in ${OVER})`,

  'more credits were committed than available': `
    select e.run_id as id from credit_entries e join credit_accounts a using (institute_id)
    where e.institute_id = $1 and e.balance_after + a.credit_limit - e.committed_after < 0`,

  'the daily copies differ from the number of runs': `
    select i.id from institutes i where i.id = $1
      and (select coalesce(sum(d.copies), 0) from daily_copies d where d.counter_id = i.id)
        <> (select count(*) from runs r where r.institute_id = i.id)`,

  'a replaced submission has no successor of the same candidate': `
    select s.id from submissions s
    left join submissions n on n.id = s.replaced_by and n.exam_id = s.exam_id and n.candidate_id = s.candidate_id
      and n.id <> s.id and n.created_at >= s.created_at
    where s.institute_id = $1 and (s.state = 'replaced') <> (s.replaced_by is not null and n.id is not null)`,

  'an upload is used twice, or not by its submission': `
    select u.id from uploads u left join submissions s on s.upload_id = u.id where u.institute_id = $1
    group by u.id having count(s.id) > 1 or bool_or(s.id is distinct from u.submission_id)`,

  'needed files are marked for deletion, or unneeded files are not': `
    select u.id from uploads u join submissions s on s.id = u.submission_id
    where u.institute_id = $1 and (u.unneeded_since is not null) <> (s.state = 'deleted')`,

  'the charge of a submission differs from its run': `
    select s.id from submissions s join runs r on r.id = s.current_run_id where s.institute_id = $1
      and (s.credits_charged is distinct from case r.status when 'completed' then r.price end
        or (s.graded_at is not null) <> (r.status = 'completed'))`,

  'progress differs from the recorded questions': `
    select s.id from submissions s where s.institute_id = $1 and s.questions_done <> (
      select count(*) from question_results t
      where t.run_id = s.current_run_id and t.source is distinct from 'auto'
        and (s.lane = 'copy' or t.status <> 'not_answered'))`,
};

const STATEMENT = Object.entries(VIOLATIONS)
  .map(([name, rows]) => `select '${name}' as what, found.id::text from (${rows}) found`)
  .join(' union all ');

export const violationsIn = async (
  behind: Pick<BehindTheApi, 'query'>,
  instituteId: string,
): Promise<string[]> => {
  const rows = await behind.query<{ what: string; id: string }>(STATEMENT, [instituteId]);
  return rows.map(({ what, id }) => `${what}: ${id}`);
};

/** Checks that everything is graded, for the end of a test. @returns unfinished runs and reserved credits */
export const unfinishedWork = async (
  behind: Pick<BehindTheApi, 'query'>,
  instituteId: string,
): Promise<string[]> => {
  const rows = await behind.query<{ id: string; status: string }>(
    `select s.id, r.status::text from submissions s join runs r on r.submission_id = s.id
     where s.institute_id = $1 and r.status not in ${OVER}
     union all
     select institute_id, committed::text from credit_accounts where institute_id = $1 and committed <> 0`,
    [instituteId],
  );
  return rows.map(({ id, status }) => `${id}: ${status}`);
};
