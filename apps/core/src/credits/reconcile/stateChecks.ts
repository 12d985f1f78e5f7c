import { sql, type RawBuilder } from 'kysely';

/** Checks of submissions, exams and daily counters against runs, with the columns described in ledgerChecks.ts. */

/**
 * Compares live submissions with their current run and its charge, and finds other active runs. Indexes: `submissions
 * (institute_id, updated_at, id)` and `runs (institute_id, queued_at)`.
 */
export const submissionCheck = (instituteId: string): RawBuilder<unknown> => sql`
  with current as (
    select s.id, s.state, s.status, s.credits_charged, r.status as run_status,
      r.status in ('queued', 'released', 'claimed') as is_active,
      case when r.status = 'completed' then coalesce(charged.amount, 0) end as amount
    from submissions s
    left join runs r on r.id = s.current_run_id and r.submission_id = s.id and r.institute_id = ${instituteId}
    left join (
      -- A run that was charged twice is named by the ledger's own check.
      select run_id, max(amount) as amount from credit_entries
      where institute_id = ${instituteId} and kind = 'charge' group by run_id
    ) charged on charged.run_id = r.id
    where s.institute_id = ${instituteId}
  ),
  judged as (
    select *, case
      when state <> 'live' then case when is_active then 'run_of_gone_submission' end
      when run_status is null then 'current_run_missing'
      when not case
        when is_active then status in ('queued', 'processing', 'reading', 'grading')
        when run_status = 'completed' then status in ('graded', 'partially_graded')
        when run_status = 'failed' then status = 'failed'
        else status = 'cancelled' end then 'status_contradicts_run'
      when credits_charged is distinct from amount then 'credits_charged_differs'
    end as finding
    from current
  )
  select finding, id::text as subject,
    case finding
      when 'run_of_gone_submission' then format('no active run, as it is %s', state)
      when 'current_run_missing' then 'a run'
      when 'status_contradicts_run' then format('as its run, which is %s', run_status)
      else format('charged %s', coalesce(amount::text, 'null')) end as expected,
    case finding
      when 'run_of_gone_submission' then run_status::text
      when 'current_run_missing' then 'none'
      when 'status_contradicts_run' then status::text
      else coalesce(credits_charged::text, 'null') end as found
  from judged where finding is not null
  union all
  select 'stray_run', r.id::text, format('the current run of submission %s', s.id), r.status::text
  from runs r join submissions s on s.id = r.submission_id and s.institute_id = ${instituteId}
  where r.institute_id = ${instituteId} and r.status in ('queued', 'released', 'claimed') and s.current_run_id <> r.id`;

/**
 * Compares the counters of each exam with its live submissions. Indexes: `submissions (institute_id, updated_at, id)`
 * and `exams_listed`, whose condition is repeated here so that the planner uses it. A deleted exam must have no live
 * submission; its counters are ignored.
 */
export const examCheck = (instituteId: string): RawBuilder<unknown> => sql`
  with counted as (
    select exam_id, count(*) as live, count(*) filter (where finalized_at is null) as unfinalized
    from submissions where institute_id = ${instituteId} and state = 'live'
    group by exam_id
  ),
  judged as (
    select e.id, e.live_submissions, e.live_unfinalized,
      coalesce(c.live, 0) as live, coalesce(c.unfinalized, 0) as unfinalized
    from exams e left join counted c on c.exam_id = e.id
    where e.institute_id = ${instituteId} and e.status <> 'deleted'
    union all
    select e.id, 0, 0, c.live, c.unfinalized
    from counted c join exams e on e.id = c.exam_id
    where e.institute_id = ${instituteId} and e.status = 'deleted'
  )
  select 'live_submissions_differ' as finding, id::text as subject, live::text as expected,
    live_submissions::text as found
  from judged where live <> live_submissions
  union all
  select 'live_unfinalized_differ', id::text, unfinalized::text, live_unfinalized::text
  from judged where unfinalized <> live_unfinalized`;

/**
 * Compares the copies counted today and yesterday with the accepted runs. Index: `runs (institute_id, queued_at)`. The
 * transaction of a copy reads the day shortly before it stores the run, so runs within a minute of midnight may count
 * for either day.
 */
export const copiesCheck = (instituteId: string): RawBuilder<unknown> => sql`
  with days as (
    select at.begins, at.begins + interval '1 day' as ends, to_char(at.begins at time zone 'UTC', 'YYYY-MM-DD') as day
    from generate_series(0, 1) as back(days),
      lateral (select date_trunc('day', clock_timestamp(), 'UTC') - make_interval(days => back.days) as begins) at
  ),
  judged as (
    select d.day, coalesce(c.of_institute, 0) as of_institute, coalesce(c.of_keys, 0) as of_keys,
      ran.surely, ran.perhaps
    from days d
    cross join lateral (
      select count(*) filter (where r.queued_at >= d.begins + interval '1 minute'
          and r.queued_at < d.ends - interval '1 minute') as surely,
        count(*) as perhaps
      from runs r
      where r.institute_id = ${instituteId} and r.queued_at >= d.begins - interval '1 minute'
        and r.queued_at < d.ends + interval '1 minute'
    ) ran
    left join lateral (
      select sum(copies) filter (where counter_id = ${instituteId}) as of_institute,
        sum(copies) filter (where counter_id <> ${instituteId}) as of_keys
      from daily_copies where institute_id = ${instituteId} and day = d.day
    ) c on true
  )
  select 'copies_uncounted' as finding, day as subject, format('at least %s', surely) as expected,
    of_institute::text as found
  from judged where of_institute < surely
  union all
  select 'copies_overcounted', day, format('at most %s', perhaps), of_institute::text
  from judged where of_institute > perhaps
  union all
  select 'copies_of_keys_exceed', day, format('at most %s', of_institute), of_keys::text
  from judged where of_keys > of_institute`;
