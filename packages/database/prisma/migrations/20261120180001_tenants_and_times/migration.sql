-- What Prisma's schema cannot say. Prisma's drift check does not see these: tests do.

-- ── tenants never meet ────────────────────────────────────────────────────────────────────────────────────────
-- Every tenant table shows only the rows of the institute that the transaction is for. FORCE: the owner too.
do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array[
    'credit_accounts', 'credit_entries', 'exams', 'sections', 'questions', 'question_options', 'rubric_versions',
    'candidates', 'registrations', 'uploads', 'submissions', 'answers', 'runs', 'page_readings', 'question_results',
    'checked_copies', 'daily_copies'
  ] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy one_institute on %I using (institute_id = nullif(current_setting(''app.institute'', true), '''')::uuid)',
      tenant_table
    );
  end loop;
end
$$;

-- The dispatcher looks for waiting work of all institutes: these two tables only, and only when it says so.
create policy across_institutes on runs using (current_setting('app.across_institutes', true) = 'on');
create policy across_institutes on uploads using (current_setting('app.across_institutes', true) = 'on');

-- ── money ─────────────────────────────────────────────────────────────────────────────────────────────────────
alter table credit_accounts
  add constraint committed_not_negative check (committed >= 0),
  add constraint credit_limit_not_negative check (credit_limit >= 0);
alter table credit_entries add constraint amount_positive check (amount > 0);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;
create trigger append_only before update or delete on credit_entries for each row execute function refuse_change();

-- ── updated_at ────────────────────────────────────────────────────────────────────────────────────────────────
-- Milliseconds of the wall clock, not of the transaction's start, and always later than before: a client that skips
-- rows which are not newer than what it has loses no change (design 3.6).
create function keep_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := date_trunc('milliseconds', clock_timestamp());
  if tg_op = 'INSERT' then
    new.created_at := new.updated_at;
  else
    new.updated_at := greatest(new.updated_at, old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

do $$
declare
  visible_table text;
begin
  foreach visible_table in array array['institutes', 'exams', 'questions', 'candidates', 'registrations', 'uploads', 'submissions'] loop
    execute format(
      'create trigger keep_updated_at before insert or update on %I for each row execute function keep_updated_at()',
      visible_table
    );
  end loop;
end
$$;

-- A registration shows its candidate and the status of the live submission, so it changes when they do.
create function touch_registration_of_submission() returns trigger language plpgsql as $$
begin
  update registrations set updated_at = updated_at
  where exam_id = new.exam_id and candidate_id = new.candidate_id and institute_id = new.institute_id;
  return null;
end
$$;
create trigger touch_registration after insert or update of status, state on submissions
  for each row execute function touch_registration_of_submission();

create function touch_registrations_of_candidate() returns trigger language plpgsql as $$
begin
  update registrations set updated_at = updated_at
  where candidate_id = new.id and institute_id = new.institute_id;
  return null;
end
$$;
create trigger touch_registrations after update on candidates
  for each row execute function touch_registrations_of_candidate();

-- ── counters ──────────────────────────────────────────────────────────────────────────────────────────────────
alter table exams
  add constraint counters_add_up check (live_unfinalized >= 0 and live_submissions >= live_unfinalized);
alter table daily_copies add constraint copies_not_negative check (copies >= 0);
