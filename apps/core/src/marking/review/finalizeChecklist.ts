import { sql } from 'kysely';
import type { ExamStatus } from '@evaluation/rest-contract/schemas';
import { examStatus } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { shownCandidate } from '../../exams/candidates/shownCandidate.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';

/** What is open before an exam is finalized. Each live submission that is not finalized has exactly one kind. */
const CHECKLIST_KINDS = [
  /** Queued or being graded: cannot be finalized yet. */
  'running',
  /** Cancelled: is never finalized. */
  'cancelled',
  /** Failed: finalized only with `allow_partial`. */
  'failed',
  /** A question failed: finalized only with `allow_partial`. */
  'partially_graded',
  /** Graded and flagged: would be finalized although a teacher should look. */
  'needs_review',
  /** Graded without a flag. */
  'ready',
] as const;
type ChecklistKind = (typeof CHECKLIST_KINDS)[number];

interface ChecklistItem {
  submission_id: string;
  external_id: string;
}

interface Checklist {
  exam_id: string;
  status: ExamStatus;
  /** Live submissions. */
  submissions: number;
  finalized: number;
  open: { kind: ChecklistKind; submissions: number; first: ChecklistItem[] }[];
  /** Copies with writing that belongs to no answer, or with pages that could not be read, and without approval. */
  pages_not_accounted_for: { submissions: number; first: ChecklistItem[] };
  /** Submissions in which a person has flagged a question. */
  flagged: { submissions: number; first: ChecklistItem[] };
  /** Registered candidates without a live submission. */
  without_submission: { candidates: number; first: { candidate_id: string; external_id: string }[] };
}

/** Submissions of each kind that are named, those that wait longest first. */
const MOST_NAMED = 10;

/** Reads what is open in an exam, in one statement. @throws DomainFailure exam_not_found */
export const readFinalizeChecklist = (services: Services, actor: Actor, examId: string): Promise<Checklist> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const ofExam = sql`${actor.institute_id}::uuid as institute_id, ${exam.id}::uuid as exam_id`;
    const { rows } = await sql<Row>`
      with live as materialized (
        select s.id, s.candidate_id, s.updated_at, s.finalized_at is not null as is_finalized,
          case when s.status in ('queued', 'processing', 'reading', 'grading') then 'running'
            when s.status in ('cancelled', 'failed', 'partially_graded') then s.status::text
            when s.needs_review then 'needs_review' else 'ready' end as kind,
          s.finalized_at is null and s.review_reasons && array['unassigned_writing', 'unreadable_pages'] as loses_pages,
          s.finalized_at is null and exists (select from marking_flags f
            where f.institute_id = s.institute_id and f.submission_id = s.id) as is_flagged
        from submissions s
        where s.institute_id = ${actor.institute_id} and s.exam_id = ${exam.id} and s.state = 'live'),
      kinds as (
        select kind, id, candidate_id, row_number() over (partition by kind order by updated_at, id) as place,
          count(*) over (partition by kind) as submissions
        from (
          select kind, id, candidate_id, updated_at from live where not is_finalized
          union all
          select 'loses_pages', id, candidate_id, updated_at from live where loses_pages
          union all
          select 'flagged', id, candidate_id, updated_at from live where is_flagged) l),
      missing as (
        select g.candidate_id, g.id, g.updated_at from registrations g
        where g.institute_id = ${actor.institute_id} and g.exam_id = ${exam.id}
          and not exists (select from live l where l.candidate_id = g.candidate_id))
      select (select count(*)::int from live) as submissions,
        (select count(*)::int from live where is_finalized) as finalized,
        (select coalesce(json_agg(json_build_object('kind', k.kind, 'submissions', k.submissions, 'first', k.first)), '[]')
          from (select k.kind, max(k.submissions)::int as submissions,
              json_agg(json_build_object('submission_id', k.id, 'external_id', c.external_id) order by k.place) as first
            from (select kinds.*, ${ofExam} from kinds where place <= ${MOST_NAMED}) k
            join lateral ${shownCandidate(actor, 'k')} c on true
            group by k.kind) k) as kinds,
        (select count(*)::int from missing) as missing,
        (select coalesce(json_agg(json_build_object('candidate_id', c.id, 'external_id', c.external_id)), '[]')
          from (select missing.*, ${ofExam} from missing order by updated_at, id limit ${MOST_NAMED}) m
          join lateral ${shownCandidate(actor, 'm')} c on true) as first_missing`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('a select of counts returned no row');
    const openOf = (kind: string) => {
      const found = row.kinds.find((each) => each.kind === kind);
      return { submissions: found?.submissions ?? 0, first: found?.first ?? [] };
    };
    return {
      exam_id: exam.id,
      status: examStatus(exam),
      submissions: row.submissions,
      finalized: row.finalized,
      open: CHECKLIST_KINDS.map((kind) => ({ kind, ...openOf(kind) })),
      pages_not_accounted_for: openOf('loses_pages'),
      flagged: openOf('flagged'),
      without_submission: { candidates: row.missing, first: row.first_missing },
    };
  });

interface Row {
  submissions: number;
  finalized: number;
  kinds: { kind: string; submissions: number; first: ChecklistItem[] }[];
  missing: number;
  first_missing: { candidate_id: string; external_id: string }[];
}
