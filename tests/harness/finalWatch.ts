import type { BehindTheApi } from './ledger.ts';

/*
 * Checks the invariants of finalized results (docs/api/lifecycle.md#exams) by triggers in the database at every change:
 * a test that looks between two requests misses states inside a race. A violation is recorded and not refused, so that
 * the service behaves as without the watch.
 */
const WATCH = `
  create table broken (what text not null, id uuid not null);

  create function broke(what text, id uuid) returns void language sql security definer as
    'insert into broken values ($1, $2)';

  create function is_final(of uuid) returns boolean language sql security definer as
    'select finalized_at is not null from submissions where id = $1';

  create function watch_submission() returns trigger language plpgsql security definer as $$
  begin
    if old.finalized_at is not null and new.finalized_at is not null and to_jsonb(old) <> to_jsonb(new) then
      perform broke('a finalized submission was changed', new.id);
    end if;
    if new.finalized_at is not null and (new.state <> 'live'
      or new.status not in ('graded', 'partially_graded', 'failed')) then
      perform broke('a submission is finalized that is ' || new.state || ' and ' || new.status, new.id);
    end if;
    return null;
  end $$;
  create trigger watch_submission after update on submissions for each row execute function watch_submission();

  create function watch_submission_id() returns trigger language plpgsql security definer as $$
  begin
    if is_final(coalesce(new.submission_id, old.submission_id)) then
      perform broke(tg_op || ' of ' || tg_table_name || ' of a finalized submission', coalesce(new.submission_id, old.submission_id));
    end if;
    return null;
  end $$;
  create trigger watch_review after insert or update or delete on reviews
    for each row execute function watch_submission_id();
  create trigger watch_run after insert or update or delete on runs
    for each row execute function watch_submission_id();

  create function watch_result() returns trigger language plpgsql security definer as $$
  declare
    submission uuid := (select submission_id from runs where id = coalesce(new.run_id, old.run_id));
  begin
    if is_final(submission) then perform broke(tg_op || ' of a mark of a finalized submission', submission); end if;
    return null;
  end $$;
  create trigger watch_result after insert or update or delete on question_results
    for each row execute function watch_result();

  -- Deferred to the commit of the change, which holds the exam's lock until then.
  create function watch_exam() returns trigger language plpgsql security definer as $$
  declare
    exam uuid := (to_jsonb(new) ->> case tg_table_name when 'exams' then 'id' else 'exam_id' end)::uuid;
  begin
    if exists (
      select from exams e where e.id = exam and (e.live_submissions, e.live_unfinalized) <> (
        select count(*)::int, (count(*) filter (where s.finalized_at is null))::int
        from submissions s where s.exam_id = e.id and s.state = 'live')) then
      perform broke('an exam does not count its live submissions, or those that are not final', exam);
    end if;
    return null;
  end $$;
  create constraint trigger watch_exam after update on exams
    deferrable initially deferred for each row execute function watch_exam();
  create constraint trigger watch_exam after insert or update of state, finalized_at on submissions
    deferrable initially deferred for each row execute function watch_exam();`;

/** Installs the triggers. @returns takes the violations recorded since the last call */
export const watchFinal = async (behind: BehindTheApi): Promise<() => Promise<string[]>> => {
  await behind.query(WATCH);
  return async () => {
    const rows = await behind.query<{ what: string; id: string }>('delete from broken returning what, id');
    return rows.map(({ what, id }) => `${what}: ${id}`);
  };
};
