-- The first migration: all tables, in the order of schema.prisma, which says what they hold. What Prisma's schema cannot
-- say is in it too: checks, row-level security, triggers. The drift check does not see these; tests do.

-- ── types ───────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TYPE "ExamSource" AS ENUM ('api', 'dashboard');
CREATE TYPE "ExamMode" AS ENUM ('handwritten', 'typed');
CREATE TYPE "ExamStatus" AS ENUM ('draft', 'open', 'deleted');
CREATE TYPE "QuestionType" AS ENUM ('mcq_single', 'mcq_multi', 'true_false', 'numeric', 'one_word', 'long_answer');
CREATE TYPE "RubricSource" AS ENUM ('client', 'generated');
CREATE TYPE "UploadStatus" AS ENUM ('pending', 'inspecting', 'ready', 'rejected');
CREATE TYPE "Lane" AS ENUM ('copy', 'typed');
CREATE TYPE "SubmissionState" AS ENUM ('live', 'replaced', 'deleted');
CREATE TYPE "SubmissionStatus" AS ENUM (
  'queued',
  'processing',
  'reading',
  'grading',
  'graded',
  'partially_graded',
  'failed',
  'cancelled'
);
CREATE TYPE "RunStatus" AS ENUM ('queued', 'released', 'claimed', 'completed', 'failed', 'cancelled');
CREATE TYPE "QuestionResultStatus" AS ENUM ('graded', 'failed', 'pending', 'cancelled', 'not_answered');
CREATE TYPE "ResultSource" AS ENUM ('ai', 'auto');
CREATE TYPE "CreditEntryKind" AS ENUM ('grant', 'reserve', 'charge', 'release');
CREATE TYPE "RateTier" AS ENUM ('standard', 'high');
CREATE TYPE "StaffRole" AS ENUM ('admin', 'examiner');
CREATE TYPE "StaffLinkPurpose" AS ENUM ('invitation', 'password_reset');
CREATE TYPE "EvidenceKind" AS ENUM ('pages', 'alignment', 'question', 'rubric');
CREATE TYPE "AuditAction" AS ENUM (
  'override',
  'override_dropped',
  'approve',
  'unapprove',
  'finalize',
  'unfinalize',
  'guide_apply',
  'guide_undo',
  'exam_create',
  'exam_edit',
  'exam_open',
  'exam_delete',
  'paper_edit',
  'submission_create',
  'submission_replace',
  'submission_cancel',
  'submission_delete',
  're_evaluate',
  'restore_marks',
  'key_create',
  'key_edit',
  'key_revoke',
  'settings_edit',
  'retention_edit',
  'staff_invite',
  'staff_join',
  'staff_role',
  'staff_disable',
  'staff_enable',
  'staff_reset_link',
  'staff_password',
  'staff_passkey_add',
  'staff_passkey_remove',
  'staff_session_end'
);
CREATE TYPE "GuideMode" AS ENUM ('off', 'suggest', 'apply');
CREATE TYPE "GuideEvent" AS ENUM ('settings', 'preview', 'apply', 'undo', 'passing_stopped');
CREATE TYPE "GuidePass" AS ENUM ('preview', 'apply', 'undo');

-- ── functions of triggers ───────────────────────────────────────────────────────────────────────────────────────────

-- Milliseconds of the wall clock, not of the start of the transaction, and always later than before: a client that skips
-- rows that are not newer than what it has loses no change (docs/architecture.md#times).
CREATE FUNCTION keep_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Rows that record history are never changed.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;

-- A registration shows its candidate and the status of the live submission, so it changes when they do.
CREATE FUNCTION touch_registration_of_submission() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  update registrations set updated_at = updated_at
  where exam_id = new.exam_id and candidate_id = new.candidate_id and institute_id = new.institute_id;
  return null;
end
$$;

CREATE FUNCTION touch_registrations_of_candidate() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  update registrations set updated_at = updated_at
  where candidate_id = new.id and institute_id = new.institute_id;
  return null;
end
$$;

SET default_tablespace = '';

SET default_table_access_method = heap;

-- ── tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE institutes (
  id uuid NOT NULL,
  name text NOT NULL,
  api_enabled boolean DEFAULT true NOT NULL,
  credits_per_page numeric(14,4),
  credits_per_answer numeric(14,4),
  daily_copy_quota integer DEFAULT 2000 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT institutes_pkey PRIMARY KEY (id)
);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  hash text NOT NULL,
  last_four text NOT NULL,
  scopes text[],
  rate_tier "RateTier" DEFAULT 'standard'::"RateTier" NOT NULL,
  daily_copy_cap integer,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at timestamp(3) with time zone,
  made_by uuid,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE INDEX api_keys_institute_id_idx ON api_keys (institute_id);

CREATE TABLE staff (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  email character varying(254) NOT NULL,
  name character varying(255) NOT NULL,
  role "StaffRole" NOT NULL,
  password_hash text,
  disabled_at timestamp(3) with time zone,
  last_sign_in_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT staff_email_folded CHECK (((email)::text = lower((email)::text))),
  CONSTRAINT staff_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX staff_institute_id_email_key ON staff (institute_id, email);
CREATE INDEX staff_email_idx ON staff (email);
CREATE INDEX staff_institute_id_id_idx ON staff (institute_id, id);

CREATE TABLE staff_sessions (
  id uuid NOT NULL,
  token_hash character varying(64) NOT NULL,
  staff_id uuid NOT NULL,
  user_agent character varying(200) NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_seen_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  proved_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  CONSTRAINT staff_sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX staff_sessions_expires_at_idx ON staff_sessions (expires_at);
CREATE INDEX staff_sessions_staff_id_id_idx ON staff_sessions (staff_id, id);
CREATE UNIQUE INDEX staff_sessions_token_hash_key ON staff_sessions (token_hash);

CREATE TABLE staff_links (
  token_hash character varying(64) NOT NULL,
  staff_id uuid NOT NULL,
  purpose "StaffLinkPurpose" NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  CONSTRAINT staff_links_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX staff_links_expires_at_idx ON staff_links (expires_at);
CREATE INDEX staff_links_staff_id_idx ON staff_links (staff_id);

CREATE TABLE staff_identities (
  issuer character varying(500) NOT NULL,
  subject character varying(255) NOT NULL,
  staff_id uuid NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT staff_identities_pkey PRIMARY KEY (issuer, subject)
);
CREATE INDEX staff_identities_staff_id_idx ON staff_identities (staff_id);

CREATE TABLE staff_passkeys (
  id character varying(1400) NOT NULL,
  staff_id uuid NOT NULL,
  public_key bytea NOT NULL,
  counter bigint DEFAULT 0 NOT NULL,
  name character varying(100) NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at timestamp(3) with time zone,
  CONSTRAINT staff_passkeys_pkey PRIMARY KEY (id)
);
CREATE INDEX staff_passkeys_staff_id_idx ON staff_passkeys (staff_id);

CREATE TABLE sign_in_attempts (
  key character varying(64) NOT NULL,
  attempts integer NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_in_attempts_expires_at_idx ON sign_in_attempts (expires_at);

CREATE TABLE credit_accounts (
  institute_id uuid NOT NULL,
  balance numeric(14,4) DEFAULT 0 NOT NULL,
  credit_limit numeric(14,4) DEFAULT 0 NOT NULL,
  committed numeric(14,4) DEFAULT 0 NOT NULL,
  CONSTRAINT committed_not_negative CHECK ((committed >= (0)::numeric)),
  CONSTRAINT credit_limit_not_negative CHECK ((credit_limit >= (0)::numeric)),
  CONSTRAINT credit_accounts_pkey PRIMARY KEY (institute_id)
);

CREATE TABLE credit_entries (
  id bigserial,
  institute_id uuid NOT NULL,
  kind "CreditEntryKind" NOT NULL,
  amount numeric(14,4) NOT NULL,
  run_id uuid,
  balance_after numeric(14,4) NOT NULL,
  committed_after numeric(14,4) NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT amount_positive CHECK ((amount > (0)::numeric)),
  CONSTRAINT credit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX credit_entries_charged ON credit_entries (institute_id, created_at, amount)
  WHERE (kind = 'charge'::"CreditEntryKind");
CREATE INDEX credit_entries_institute_id_id_idx ON credit_entries (institute_id, id);
CREATE UNIQUE INDEX credit_entries_reserved ON credit_entries (run_id) WHERE (kind = 'reserve'::"CreditEntryKind");
CREATE UNIQUE INDEX credit_entries_settled ON credit_entries (run_id)
  WHERE ((kind = 'charge'::"CreditEntryKind") OR (kind = 'release'::"CreditEntryKind"));

CREATE TABLE credit_grant_keys (
  institute_id uuid NOT NULL,
  key character varying(256) NOT NULL,
  amount numeric(14,4) NOT NULL,
  balance_after numeric(14,4) NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT credit_grant_keys_pkey PRIMARY KEY (institute_id, key)
);

CREATE TABLE exams (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  source "ExamSource" DEFAULT 'api'::"ExamSource" NOT NULL,
  external_ref text,
  title text NOT NULL,
  mode "ExamMode" NOT NULL,
  status "ExamStatus" NOT NULL,
  conducted_on character varying(10) NOT NULL,
  subject text,
  level text NOT NULL,
  board text,
  class text,
  instructions text,
  answer_language text NOT NULL,
  feedback_language text NOT NULL,
  blind boolean NOT NULL,
  rubric_version integer DEFAULT 0 NOT NULL,
  total_marks numeric(14,4) DEFAULT 0 NOT NULL,
  question_count integer DEFAULT 0 NOT NULL,
  live_submissions integer DEFAULT 0 NOT NULL,
  live_unfinalized integer DEFAULT 0 NOT NULL,
  is_sample boolean DEFAULT false NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT counters_add_up CHECK (((live_unfinalized >= 0) AND (live_submissions >= live_unfinalized))),
  CONSTRAINT exams_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX exams_external_ref ON exams (institute_id, source, external_ref)
  WHERE (status <> 'deleted'::"ExamStatus");
CREATE INDEX exams_listed ON exams (institute_id, updated_at, id)
  WHERE ((source = 'api'::"ExamSource") AND (status <> 'deleted'::"ExamStatus"));
CREATE INDEX exams_of_institute ON exams (institute_id, id) WHERE (status <> 'deleted'::"ExamStatus");

CREATE TABLE sections (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  name text NOT NULL,
  "position" integer NOT NULL,
  sent_order bigint,
  CONSTRAINT sections_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX sections_exam_id_position_key ON sections (exam_id, "position");

CREATE TABLE questions (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  section_id uuid NOT NULL,
  "position" integer NOT NULL,
  label text NOT NULL,
  label_key text NOT NULL,
  parent_label text,
  type "QuestionType" NOT NULL,
  text text NOT NULL,
  max_marks numeric(14,4) NOT NULL,
  negative_marks numeric(30,15) DEFAULT 0 NOT NULL,
  correct_options text[],
  answer jsonb,
  word_limit integer,
  expects_diagram boolean,
  assess_language boolean,
  tags jsonb,
  external_id text,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT questions_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX questions_exam_id_label_key_key ON questions (exam_id, label_key);
CREATE INDEX questions_exam_id_position_idx ON questions (exam_id, "position");

CREATE TABLE question_options (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  question_id uuid NOT NULL,
  "position" integer NOT NULL,
  label text NOT NULL,
  text text NOT NULL,
  CONSTRAINT question_options_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX question_options_question_id_position_key ON question_options (question_id, "position");

CREATE TABLE rubric_versions (
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  question_id uuid NOT NULL,
  version integer NOT NULL,
  source "RubricSource" DEFAULT 'client'::"RubricSource" NOT NULL,
  rubric jsonb,
  model_answer text,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  text_sha256 text DEFAULT ''::text NOT NULL,
  CONSTRAINT rubric_versions_made_from CHECK (((source = 'generated'::"RubricSource") = (text_sha256 <> ''::text))),
  CONSTRAINT rubric_versions_pkey PRIMARY KEY (question_id, version, source, text_sha256)
);
CREATE INDEX rubric_versions_exam_id_version_idx ON rubric_versions (exam_id, version);

CREATE TABLE rubric_generations (
  institute_id uuid NOT NULL,
  question_id uuid NOT NULL,
  version integer NOT NULL,
  text_sha256 text NOT NULL,
  run_id uuid,
  fence integer,
  failures integer DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT rubric_generations_holder CHECK (((run_id IS NULL) = (fence IS NULL))),
  CONSTRAINT rubric_generations_pkey PRIMARY KEY (question_id, version, text_sha256)
);

CREATE TABLE run_rubrics (
  institute_id uuid NOT NULL,
  run_id uuid NOT NULL,
  question_id uuid NOT NULL,
  rubric jsonb NOT NULL,
  CONSTRAINT run_rubrics_pkey PRIMARY KEY (run_id, question_id)
);

CREATE TABLE pending_rubrics (
  exam_id uuid NOT NULL,
  institute_id uuid NOT NULL,
  payload jsonb NOT NULL,
  attempts integer DEFAULT 1 NOT NULL,
  next_try_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT pending_rubrics_pkey PRIMARY KEY (exam_id)
);
CREATE INDEX pending_rubrics_next_try_at_idx ON pending_rubrics (next_try_at);

CREATE TABLE candidates (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  external_id text NOT NULL,
  name text,
  roll_number text,
  section_or_class text,
  metadata jsonb,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  erased_at timestamp(3) with time zone,
  CONSTRAINT candidates_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX candidates_institute_id_external_id_key ON candidates (institute_id, external_id);

CREATE TABLE erasures (
  candidate_id uuid NOT NULL,
  institute_id uuid NOT NULL,
  external_id text,
  files_gone_up_to uuid,
  files_removed_at timestamp(3) with time zone,
  settled_at timestamp(3) with time zone,
  requested_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT erasures_forget_the_id CHECK (((external_id IS NULL) OR (files_removed_at IS NULL))),
  CONSTRAINT erasures_pkey PRIMARY KEY (candidate_id)
);
CREATE INDEX erasures_by_external_id ON erasures (institute_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX erasures_unsettled ON erasures (requested_at) WHERE (settled_at IS NULL);

CREATE TABLE registrations (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  candidate_id uuid NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT registrations_pkey PRIMARY KEY (id)
);
CREATE INDEX registrations_candidate_id_idx ON registrations (candidate_id);
CREATE UNIQUE INDEX registrations_exam_id_candidate_id_key ON registrations (exam_id, candidate_id);
CREATE INDEX registrations_exam_id_updated_at_id_idx ON registrations (exam_id, updated_at, id);

CREATE TABLE uploads (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  status "UploadStatus" DEFAULT 'pending'::"UploadStatus" NOT NULL,
  file_name text NOT NULL,
  content_type text NOT NULL,
  size_bytes integer NOT NULL,
  object_key text NOT NULL,
  sealed_key text,
  sha256 text,
  pages integer,
  reject_reason text,
  inspect_delivery integer DEFAULT 0 NOT NULL,
  inspect_released_at timestamp(3) with time zone,
  inspect_openings integer DEFAULT 0 NOT NULL,
  submission_id uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  files_removed_at timestamp(3) with time zone,
  tidied_at timestamp(3) with time zone,
  unneeded_since timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP,
  heading_wanted boolean DEFAULT false NOT NULL,
  heading jsonb,
  repaired boolean DEFAULT false NOT NULL,
  inspect_claimed_at timestamp(3) with time zone,
  inspect_waits_since timestamp(3) with time zone,
  inspect_token_delivery integer,
  inspect_tokens_sha256 text[] DEFAULT ARRAY[]::text[],
  CONSTRAINT uploads_pkey PRIMARY KEY (id)
);
CREATE INDEX uploads_inspections_out ON uploads (institute_id)
  WHERE ((status = 'inspecting'::"UploadStatus") AND (inspect_waits_since IS NULL));
CREATE INDEX uploads_inspections_waiting ON uploads (institute_id, inspect_waits_since, id)
  WHERE ((status = 'inspecting'::"UploadStatus") AND (inspect_waits_since IS NOT NULL));
CREATE INDEX uploads_institute_id_created_at_idx ON uploads (institute_id, created_at);
CREATE UNIQUE INDEX uploads_submission_id_key ON uploads (submission_id);
CREATE INDEX uploads_unneeded ON uploads (unneeded_since)
  WHERE ((unneeded_since IS NOT NULL) AND (files_removed_at IS NULL));
CREATE INDEX uploads_unneeded_of_institute ON uploads (institute_id, unneeded_since)
  WHERE ((unneeded_since IS NOT NULL) AND (files_removed_at IS NULL));
CREATE INDEX uploads_untidy ON uploads (created_at) WHERE ((tidied_at IS NULL) AND (sealed_key IS NOT NULL));

CREATE TABLE submissions (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  candidate_id uuid NOT NULL,
  upload_id uuid,
  state "SubmissionState" DEFAULT 'live'::"SubmissionState" NOT NULL,
  replaced_by uuid,
  status "SubmissionStatus" NOT NULL,
  lane "Lane" NOT NULL,
  pages integer,
  needs_review boolean DEFAULT false NOT NULL,
  review_reasons text[],
  finalized_at timestamp(3) with time zone,
  current_run_id uuid NOT NULL,
  attempt_count integer DEFAULT 1 NOT NULL,
  rubric_version integer,
  questions_total integer NOT NULL,
  questions_done integer DEFAULT 0 NOT NULL,
  quote_unit text NOT NULL,
  quote_credits numeric(14,4) NOT NULL,
  quote_rate_source text NOT NULL,
  credits_charged numeric(14,4),
  marks_revision integer DEFAULT 0 NOT NULL,
  graded_at timestamp(3) with time zone,
  error jsonb,
  warnings jsonb NOT NULL,
  metadata jsonb,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  approved_at timestamp(3) with time zone,
  approved_by text,
  erased_at timestamp(3) with time zone,
  earlier_marks jsonb,
  CONSTRAINT submissions_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX one_live_submission ON submissions (exam_id, candidate_id)
  WHERE (state = 'live'::"SubmissionState");
CREATE INDEX submissions_approved ON submissions (exam_id, approved_at)
  WHERE ((state = 'live'::"SubmissionState") AND (approved_at IS NOT NULL));
CREATE INDEX submissions_candidate_id_idx ON submissions (candidate_id);
CREATE INDEX submissions_finalized ON submissions (exam_id, updated_at, id)
  WHERE ((state = 'live'::"SubmissionState") AND (finalized_at IS NOT NULL));
CREATE INDEX submissions_flagged ON submissions (exam_id, updated_at, id)
  WHERE ((state = 'live'::"SubmissionState") AND needs_review);
CREATE INDEX submissions_institute_id_updated_at_id_idx ON submissions (institute_id, updated_at, id);
CREATE INDEX submissions_live ON submissions (exam_id, updated_at, id) WHERE (state = 'live'::"SubmissionState");
CREATE INDEX submissions_not_graded ON submissions (exam_id, status)
  WHERE ((state = 'live'::"SubmissionState") AND (status <> 'graded'::"SubmissionStatus"));
CREATE INDEX submissions_to_review ON submissions (institute_id, updated_at, id)
  WHERE ((state = 'live'::"SubmissionState") AND needs_review AND (finalized_at IS NULL));

CREATE TABLE answers (
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  question_id uuid NOT NULL,
  option_labels text[],
  text text,
  CONSTRAINT answers_pkey PRIMARY KEY (submission_id, question_id)
);

CREATE TABLE runs (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  lane "Lane" NOT NULL,
  attempt integer NOT NULL,
  status "RunStatus" NOT NULL,
  queued_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
  released_at timestamp(3) with time zone,
  claimed_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  delivery integer DEFAULT 0 NOT NULL,
  dead_leases integer DEFAULT 0 NOT NULL,
  lease_until timestamp(3) with time zone,
  fence integer DEFAULT 0 NOT NULL,
  deadline_at timestamp(3) with time zone,
  price numeric(14,4) NOT NULL,
  rubric_version integer,
  paper jsonb,
  alignment jsonb,
  turned_pages jsonb DEFAULT '[]'::jsonb NOT NULL,
  worker text,
  grader jsonb,
  usage jsonb,
  error jsonb,
  evidence_since timestamp(3) with time zone,
  evidence_unneeded_since timestamp(3) with time zone,
  traceparent text,
  claim_token_sha256 text,
  place bigint,
  marked_examples jsonb,
  CONSTRAINT runs_pkey PRIMARY KEY (id)
);
CREATE INDEX runs_finished_copy ON runs (finished_at)
  WHERE ((status = 'completed'::"RunStatus") AND (lane = 'copy'::"Lane") AND (claimed_at IS NOT NULL));
CREATE INDEX runs_finished_typed ON runs (finished_at)
  WHERE ((status = 'completed'::"RunStatus") AND (lane = 'typed'::"Lane") AND (claimed_at IS NOT NULL));
CREATE INDEX runs_in_flight ON runs (institute_id, lane, released_at)
  WHERE ((status = 'released'::"RunStatus") OR (status = 'claimed'::"RunStatus"));
CREATE INDEX runs_institute_id_submission_id_idx ON runs (institute_id, submission_id);
CREATE INDEX runs_returned ON runs (deadline_at) WHERE ((status = 'queued'::"RunStatus") AND (deadline_at IS NOT NULL));
CREATE UNIQUE INDEX runs_submission_id_attempt_key ON runs (submission_id, attempt);
CREATE INDEX runs_waiting ON runs (institute_id, lane, queued_at, id) WHERE (status = 'queued'::"RunStatus");
CREATE INDEX runs_waiting_copy ON runs (institute_id, queued_at, id)
  WHERE ((status = 'queued'::"RunStatus") AND (lane = 'copy'::"Lane"));
CREATE INDEX institutes_disabled ON institutes (id) WHERE NOT api_enabled;
CREATE INDEX runs_waiting_typed ON runs (institute_id, queued_at, id)
  WHERE ((status = 'queued'::"RunStatus") AND (lane = 'typed'::"Lane"));
CREATE INDEX runs_with_evidence ON runs (evidence_since) WHERE (evidence_since IS NOT NULL);
CREATE INDEX runs_with_evidence_of_institute ON runs (institute_id, evidence_since) WHERE (evidence_since IS NOT NULL);
CREATE INDEX runs_with_unneeded_evidence ON runs (evidence_unneeded_since) WHERE (evidence_unneeded_since IS NOT NULL);
CREATE INDEX runs_with_unneeded_evidence_of_institute ON runs (institute_id, evidence_unneeded_since)
  WHERE (evidence_unneeded_since IS NOT NULL);

CREATE TABLE run_queues (
  institute_id uuid NOT NULL,
  lane "Lane" NOT NULL,
  last_place bigint NOT NULL,
  CONSTRAINT run_queues_pkey PRIMARY KEY (institute_id, lane)
);

CREATE TABLE evidence_parts (
  institute_id uuid NOT NULL,
  run_id uuid NOT NULL,
  kind "EvidenceKind" NOT NULL,
  ref text NOT NULL,
  sha256 text NOT NULL,
  size_bytes integer NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  pack uuid NOT NULL,
  pack_offset integer NOT NULL,
  CONSTRAINT evidence_parts_pkey PRIMARY KEY (run_id, kind, ref)
);

CREATE TABLE judgements (
  institute_id uuid NOT NULL,
  key text NOT NULL,
  run_id uuid NOT NULL,
  question_id uuid NOT NULL,
  evidence text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT judgements_pkey PRIMARY KEY (institute_id, key)
);
CREATE INDEX judgements_run_id_idx ON judgements (run_id);

CREATE TABLE page_readings (
  institute_id uuid NOT NULL,
  run_id uuid NOT NULL,
  first_page integer NOT NULL,
  pages jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT page_readings_pkey PRIMARY KEY (run_id, first_page)
);
CREATE INDEX page_readings_created_at_idx ON page_readings (created_at);
CREATE INDEX page_readings_institute_id_created_at_idx ON page_readings (institute_id, created_at);

CREATE TABLE question_results (
  institute_id uuid NOT NULL,
  run_id uuid NOT NULL,
  question_id uuid NOT NULL,
  status "QuestionResultStatus" NOT NULL,
  counted boolean DEFAULT true NOT NULL,
  awarded numeric(30,15),
  max numeric(14,4) NOT NULL,
  source "ResultSource",
  confidence numeric(5,4),
  needs_review boolean DEFAULT false NOT NULL,
  review_reasons text[],
  extracted_answer text,
  feedback text,
  criteria jsonb NOT NULL,
  annotations jsonb NOT NULL,
  error jsonb,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT question_results_pkey PRIMARY KEY (run_id, question_id)
);

CREATE TABLE checked_copies (
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  marks_revision integer NOT NULL,
  object_key text NOT NULL,
  size_bytes integer NOT NULL,
  pictures jsonb DEFAULT '[]'::jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT checked_copies_pkey PRIMARY KEY (submission_id, marks_revision)
);

CREATE TABLE reviews (
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  question_id uuid NOT NULL,
  awarded numeric(14,4) NOT NULL,
  reviewer text NOT NULL,
  reason text,
  key_id uuid NOT NULL,
  edited_at timestamp(3) with time zone NOT NULL,
  application integer DEFAULT 0 NOT NULL,
  confidence numeric(5,4),
  needs_review boolean DEFAULT false NOT NULL,
  review_reasons text[] DEFAULT ARRAY[]::text[],
  threshold numeric(7,6),
  criteria jsonb,
  feedback text,
  CONSTRAINT reviews_pkey PRIMARY KEY (submission_id, question_id, application)
);
CREATE INDEX reviews_audited ON reviews (question_id, application) WHERE ('guide_audit'::text = ANY (review_reasons));
CREATE INDEX reviews_of_question ON reviews (institute_id, question_id, edited_at) WHERE (application = 0);

CREATE TABLE audit_entries (
  id bigserial,
  institute_id uuid NOT NULL,
  exam_id uuid,
  submission_id uuid,
  question_id uuid,
  subject_id uuid,
  action "AuditAction" NOT NULL,
  key_id uuid NOT NULL,
  reviewer text,
  reason text,
  before jsonb NOT NULL,
  after jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  staff_role text,
  team text,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_institute_id_exam_id_id_idx ON audit_entries (institute_id, exam_id, id);
CREATE INDEX audit_entries_institute_id_submission_id_id_idx ON audit_entries (institute_id, submission_id, id);
CREATE INDEX audit_in_time ON audit_entries (institute_id, created_at, id);
CREATE INDEX audit_of_person ON audit_entries (institute_id, key_id, created_at, id);

CREATE TABLE marking_flags (
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  question_id uuid NOT NULL,
  note text,
  staff_id uuid NOT NULL,
  flagged_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT marking_flags_pkey PRIMARY KEY (submission_id, question_id)
);
CREATE INDEX marking_flags_of_institute ON marking_flags (institute_id);

CREATE TABLE marking_ink (
  id uuid NOT NULL,
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  ink jsonb,
  staff_id uuid NOT NULL,
  drawn_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  removed_by uuid,
  removed_at timestamp(3) with time zone,
  CONSTRAINT marking_ink_pkey PRIMARY KEY (submission_id, id)
);

CREATE TABLE exam_examiners (
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  CONSTRAINT exam_examiners_pkey PRIMARY KEY (exam_id, staff_id)
);

CREATE TABLE marking_shares (
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  shared_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT marking_shares_pkey PRIMARY KEY (exam_id, subject_id, staff_id)
);
CREATE INDEX marking_shares_of_person ON marking_shares (institute_id, staff_id);

CREATE TABLE open_copies (
  institute_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  seen_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT open_copies_pkey PRIMARY KEY (submission_id, staff_id)
);
CREATE INDEX open_copies_staff_id_idx ON open_copies (staff_id);

CREATE TABLE institute_settings (
  institute_id uuid NOT NULL,
  blind boolean DEFAULT false NOT NULL,
  guide_target numeric(5,4) DEFAULT 0.95 NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  changed_by uuid NOT NULL,
  changed_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  evidence_days integer,
  files_days integer,
  readings_days integer,
  assigned_only boolean DEFAULT false NOT NULL,
  CONSTRAINT institute_settings_pkey PRIMARY KEY (institute_id)
);

CREATE TABLE exam_guides (
  exam_id uuid NOT NULL,
  institute_id uuid NOT NULL,
  mode "GuideMode" DEFAULT 'off'::"GuideMode" NOT NULL,
  target numeric(5,4) DEFAULT 0.95 NOT NULL,
  passing_stopped_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  in_force integer,
  CONSTRAINT exam_guides_target CHECK (((target > (0)::numeric) AND (target < (1)::numeric))),
  CONSTRAINT exam_guides_pkey PRIMARY KEY (exam_id)
);

CREATE TABLE guide_events (
  id bigserial,
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  event "GuideEvent" NOT NULL,
  actor_id uuid NOT NULL,
  staff_role text,
  team text,
  before jsonb NOT NULL,
  after jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT guide_events_pkey PRIMARY KEY (id)
);
CREATE INDEX guide_events_institute_id_exam_id_id_idx ON guide_events (institute_id, exam_id, id);

CREATE TABLE guide_versions (
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  question_id uuid NOT NULL,
  version integer NOT NULL,
  examples jsonb NOT NULL,
  constants jsonb NOT NULL,
  sha256 character varying(64) NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT guide_versions_pkey PRIMARY KEY (question_id, version)
);
CREATE INDEX guide_versions_exam_id_idx ON guide_versions (exam_id);

CREATE TABLE guide_applications (
  institute_id uuid NOT NULL,
  exam_id uuid NOT NULL,
  number integer NOT NULL,
  versions jsonb NOT NULL,
  passing jsonb NOT NULL,
  after_candidate uuid,
  actor jsonb NOT NULL,
  worked_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  counts jsonb NOT NULL,
  ended_at timestamp(3) with time zone,
  pass "GuidePass" DEFAULT 'preview'::"GuidePass" NOT NULL,
  CONSTRAINT guide_applications_pkey PRIMARY KEY (exam_id, number)
);
CREATE INDEX guide_applications_unfinished ON guide_applications (worked_at)
  WHERE ((ended_at IS NULL) AND (pass <> 'preview'::"GuidePass"));
CREATE UNIQUE INDEX guide_applications_working ON guide_applications (exam_id)
  WHERE ((ended_at IS NULL) AND (pass <> 'preview'::"GuidePass"));

CREATE TABLE copy_drawings (
  submission_id uuid NOT NULL,
  institute_id uuid NOT NULL,
  released_at timestamp(3) with time zone,
  delivery integer DEFAULT 0 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  claimed_at timestamp(3) with time zone,
  wanted_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  claim_token_delivery integer,
  claim_token_sha256 text,
  CONSTRAINT copy_drawings_pkey PRIMARY KEY (submission_id)
);
CREATE INDEX copy_drawings_released_at_idx ON copy_drawings (released_at);
CREATE INDEX copy_drawings_waiting ON copy_drawings (institute_id, wanted_at, submission_id)
  WHERE (released_at IS NULL);

CREATE TABLE daily_copies (
  institute_id uuid NOT NULL,
  counter_id uuid NOT NULL,
  day character varying(10) NOT NULL,
  copies integer DEFAULT 0 NOT NULL,
  CONSTRAINT copies_not_negative CHECK ((copies >= 0)),
  CONSTRAINT daily_copies_pkey PRIMARY KEY (institute_id, counter_id, day)
);

CREATE TABLE exhausted_time (
  institute_id uuid NOT NULL,
  day date NOT NULL,
  seconds integer NOT NULL,
  CONSTRAINT exhausted_time_pkey PRIMARY KEY (institute_id)
);

CREATE TABLE idempotency_records (
  institute_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  outcome text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (institute_id, key)
);
CREATE INDEX idempotency_records_created_at_idx ON idempotency_records (created_at);

CREATE TABLE core_presence (
  id integer DEFAULT 1 NOT NULL,
  steady_since timestamp(3) with time zone NOT NULL,
  seen_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT core_presence_pkey PRIMARY KEY (id)
);

-- A drawing that is done leaves no row, and the next one for the same copy may come a second later: deliveries are
-- numbered across all of them, so that a lane never takes a new message for an old one.
CREATE SEQUENCE copy_drawing_deliveries AS integer;

-- ── foreign keys ────────────────────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE api_keys ADD CONSTRAINT api_keys_institute_id_fkey
  FOREIGN KEY (institute_id) REFERENCES institutes(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE staff ADD CONSTRAINT staff_institute_id_fkey
  FOREIGN KEY (institute_id) REFERENCES institutes(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE staff_sessions ADD CONSTRAINT staff_sessions_staff_id_fkey
  FOREIGN KEY (staff_id) REFERENCES staff(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE staff_links ADD CONSTRAINT staff_links_staff_id_fkey
  FOREIGN KEY (staff_id) REFERENCES staff(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE staff_passkeys ADD CONSTRAINT staff_passkeys_staff_id_fkey
  FOREIGN KEY (staff_id) REFERENCES staff(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE staff_identities ADD CONSTRAINT staff_identities_staff_id_fkey
  FOREIGN KEY (staff_id) REFERENCES staff(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sections ADD CONSTRAINT sections_exam_id_fkey
  FOREIGN KEY (exam_id) REFERENCES exams(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE questions ADD CONSTRAINT questions_exam_id_fkey
  FOREIGN KEY (exam_id) REFERENCES exams(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE questions ADD CONSTRAINT questions_section_id_fkey
  FOREIGN KEY (section_id) REFERENCES sections(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE question_options ADD CONSTRAINT question_options_question_id_fkey
  FOREIGN KEY (question_id) REFERENCES questions(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE rubric_versions ADD CONSTRAINT rubric_versions_question_id_fkey
  FOREIGN KEY (question_id) REFERENCES questions(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE rubric_generations ADD CONSTRAINT rubric_generations_question_id_fkey
  FOREIGN KEY (question_id) REFERENCES questions(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_rubrics ADD CONSTRAINT run_rubrics_run_id_fkey
  FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE pending_rubrics ADD CONSTRAINT pending_rubrics_exam_id_fkey
  FOREIGN KEY (exam_id) REFERENCES exams(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE erasures ADD CONSTRAINT erasures_candidate_id_fkey
  FOREIGN KEY (candidate_id) REFERENCES candidates(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE registrations ADD CONSTRAINT registrations_candidate_id_fkey
  FOREIGN KEY (candidate_id) REFERENCES candidates(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE registrations ADD CONSTRAINT registrations_exam_id_fkey
  FOREIGN KEY (exam_id) REFERENCES exams(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE submissions ADD CONSTRAINT submissions_candidate_id_fkey
  FOREIGN KEY (candidate_id) REFERENCES candidates(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE submissions ADD CONSTRAINT submissions_exam_id_fkey
  FOREIGN KEY (exam_id) REFERENCES exams(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE answers ADD CONSTRAINT answers_submission_id_fkey
  FOREIGN KEY (submission_id) REFERENCES submissions(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE runs ADD CONSTRAINT runs_submission_id_fkey
  FOREIGN KEY (submission_id) REFERENCES submissions(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_run_id_fkey
  FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE judgements ADD CONSTRAINT judgements_run_id_fkey
  FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE page_readings ADD CONSTRAINT page_readings_run_id_fkey
  FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE question_results ADD CONSTRAINT question_results_run_id_fkey
  FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE checked_copies ADD CONSTRAINT checked_copies_submission_id_fkey
  FOREIGN KEY (submission_id) REFERENCES submissions(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE reviews ADD CONSTRAINT reviews_submission_id_fkey
  FOREIGN KEY (submission_id) REFERENCES submissions(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE copy_drawings ADD CONSTRAINT copy_drawings_submission_id_fkey
  FOREIGN KEY (submission_id) REFERENCES submissions(id) ON UPDATE CASCADE ON DELETE RESTRICT;

-- ── tenants never meet ──────────────────────────────────────────────────────────────────────────────────────────────

-- Every tenant table shows only the rows of the institute that the transaction is for. FORCE: to the owner too.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'credit_accounts', 'credit_entries', 'credit_grant_keys', 'exams', 'sections', 'questions', 'question_options',
    'rubric_versions', 'rubric_generations', 'run_rubrics', 'pending_rubrics', 'candidates', 'erasures',
    'registrations', 'uploads', 'submissions', 'answers', 'runs', 'run_queues', 'evidence_parts', 'judgements',
    'page_readings', 'question_results', 'checked_copies', 'reviews', 'audit_entries', 'marking_flags',
    'marking_ink',
    'open_copies', 'exam_examiners', 'marking_shares', 'institute_settings', 'exam_guides', 'guide_events', 'guide_versions',
    'guide_applications', 'copy_drawings', 'daily_copies', 'exhausted_time', 'idempotency_records'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY one_institute ON %I
  USING (institute_id = nullif(current_setting(''app.institute'', true), '''')::uuid)',
      name);
  END LOOP;
END $$;

-- Work of core for all institutes at once: only these tables, and only in a transaction that says so.
CREATE POLICY across_institutes ON exams FOR SELECT USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON pending_rubrics USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON erasures USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON uploads USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON runs USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON page_readings USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON institute_settings FOR SELECT
  USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON guide_applications USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON copy_drawings USING (current_setting('app.across_institutes', true) = 'on');
CREATE POLICY across_institutes ON idempotency_records USING (current_setting('app.across_institutes', true) = 'on');

-- ── triggers ────────────────────────────────────────────────────────────────────────────────────────────────────────

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'institutes', 'exams', 'questions', 'candidates', 'registrations', 'uploads', 'submissions', 'exam_guides'
  ] LOOP
    EXECUTE format(
      'CREATE TRIGGER keep_updated_at BEFORE INSERT OR UPDATE ON %I
  FOR EACH ROW EXECUTE FUNCTION keep_updated_at()', name);
  END LOOP;
END $$;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON credit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE ON rubric_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON guide_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON guide_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER touch_registration AFTER INSERT OR UPDATE OF status, state ON submissions
  FOR EACH ROW EXECUTE FUNCTION touch_registration_of_submission();
-- Registrations are touched last, at commit: a replacement locks its candidate before the submission that it replaces,
-- while a worker that records for that submission touches the registration after it. In another order the two could
-- wait for each other.
CREATE CONSTRAINT TRIGGER touch_registrations AFTER UPDATE ON candidates DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION touch_registrations_of_candidate();
