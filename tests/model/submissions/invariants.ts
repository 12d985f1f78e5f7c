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

  'a submission and its run do not tell the same': `
    select s.id from submissions s left join runs r on r.id = s.current_run_id and r.submission_id = s.id
    where s.institute_id = $1 and not coalesce(case s.status
      when 'queued' then r.status in ('queued', 'released') and r.claimed_at is null
      when 'graded' then r.status = 'completed'
      when 'partially_graded' then r.status = 'completed'
      when 'failed' then r.status = 'failed'
      when 'cancelled' then r.status = 'cancelled'
      -- Given back or taken back: it waits again, and the status that was seen does not go back.
      else r.status = 'claimed' or (r.status in ('queued', 'released') and r.claimed_at is not null) end, false)`,

  'a run is active that is not the current one of a live submission': `
    select r.id from runs r join submissions s on s.id = r.submission_id
    where r.institute_id = $1 and r.status not in ${OVER} and (s.state <> 'live' or s.current_run_id <> r.id)`,

  'attempt_count is not the number of runs, or the current run is not the last': `
    select s.id from submissions s where s.institute_id = $1 and not exists (
      select 1 from runs r where r.submission_id = s.id
      having count(*) = s.attempt_count and max(r.attempt) = s.attempt_count and min(r.attempt) = 1
        and bool_or(r.id = s.current_run_id and r.attempt = s.attempt_count))`,

  'a run is held without a lease, or has one and is not held': `
    select id from runs where institute_id = $1 and (status = 'claimed') <> (lease_until is not null)`,

  'a run is over without a time, or has one and is not over': `
    select id from runs where institute_id = $1 and (status in ${OVER}) <> (finished_at is not null)`,

  'a run did not reserve its price exactly once': `
    select r.id from runs r left join credit_entries e on e.run_id = r.id and e.kind = 'reserve'
    where r.institute_id = $1 group by r.id
    having count(e.id) <> (case when r.price > 0 then 1 else 0 end) or coalesce(sum(e.amount), 0) <> r.price`,

  'a reservation is not closed exactly once when its run is over, and never before': `
    select r.id from runs r left join credit_entries e on e.run_id = r.id and e.kind in ('charge', 'release')
    where r.institute_id = $1 group by r.id
    having count(e.id) <> (case when r.price > 0 and r.status in ${OVER} then 1 else 0 end)
      or bool_or(e.amount <> r.price)
      or bool_or(e.kind <> (case r.status when 'completed' then 'charge' else 'release' end)::"CreditEntryKind")`,

  'the balance is not what was granted less what was charged': `
    select a.institute_id as id from credit_accounts a where a.institute_id = $1 and a.balance <> (
      select coalesce(sum(case e.kind when 'grant' then e.amount when 'charge' then -e.amount else 0 end), 0)
      from credit_entries e where e.institute_id = a.institute_id)`,

  'what is committed is not what active runs reserved': `
    select a.institute_id as id from credit_accounts a where a.institute_id = $1 and a.committed <> (
      select coalesce(sum(r.price), 0) from runs r where r.institute_id = $1 and r.status not in ${OVER})`,

  'more credits were committed than there were': `
    select e.run_id as id from credit_entries e join credit_accounts a using (institute_id)
    where e.institute_id = $1 and e.balance_after + a.credit_limit - e.committed_after < 0`,

  'the copies of the day are not the runs that were accepted': `
    select i.id from institutes i where i.id = $1
      and (select coalesce(sum(d.copies), 0) from daily_copies d where d.counter_id = i.id)
        <> (select count(*) from runs r where r.institute_id = i.id)`,

  'a submission is replaced by nothing, or by one of another candidate': `
    select s.id from submissions s
    left join submissions n on n.id = s.replaced_by and n.exam_id = s.exam_id and n.candidate_id = s.candidate_id
      and n.id <> s.id and n.created_at >= s.created_at
    where s.institute_id = $1 and (s.state = 'replaced') <> (s.replaced_by is not null and n.id is not null)`,

  'an upload is used twice, or not by the submission that it says': `
    select u.id from uploads u left join submissions s on s.upload_id = u.id where u.institute_id = $1
    group by u.id having count(s.id) > 1 or bool_or(s.id is distinct from u.submission_id)`,

  'files that are needed are marked for removal, or the other way round': `
    select u.id from uploads u join submissions s on s.id = u.submission_id
    where u.institute_id = $1 and (u.unneeded_since is not null) <> (s.state = 'deleted')`,

  'a submission shows another charge than its run was charged': `
    select s.id from submissions s join runs r on r.id = s.current_run_id where s.institute_id = $1
      and (s.credits_charged is distinct from case r.status when 'completed' then r.price end
        or (s.graded_at is not null) <> (r.status = 'completed'))`,

  'progress is not what was recorded': `
    select s.id from submissions s where s.institute_id = $1 and s.questions_done <> (
      select count(*) from question_results t
      where t.run_id = s.current_run_id and t.source is distinct from 'auto' and t.status <> 'not_answered')`,
};

const STATEMENT = Object.entries(VIOLATIONS)
  .map(([name, rows]) => `select '${name}' as what, found.id::text from (${rows}) found`)
  .join(' union all ');

export const violationsIn = async (behind: BehindTheApi, instituteId: string): Promise<string[]> => {
  const rows = await behind.query<{ what: string; id: string }>(STATEMENT, [instituteId]);
  return rows.map(({ what, id }) => `${what}: ${id}`);
};

/** Checks that everything is graded, for the end of a test. @returns unfinished runs and reserved credits */
export const unfinishedWork = async (behind: BehindTheApi, instituteId: string): Promise<string[]> => {
  const rows = await behind.query<{ id: string; status: string }>(
    `select s.id, r.status::text from submissions s join runs r on r.submission_id = s.id
     where s.institute_id = $1 and r.status not in ${OVER}
     union all
     select institute_id, committed::text from credit_accounts where institute_id = $1 and committed <> 0`,
    [instituteId],
  );
  return rows.map(({ id, status }) => `${id}: ${status}`);
};
