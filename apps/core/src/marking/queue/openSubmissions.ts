import { sql, type RawBuilder } from 'kysely';
import type { SubmissionStatus } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { joinReview } from '../../guides/guideMarks.ts';
import { readCursor, writeCursor, type Position } from '../../command/lists/cursor.ts';
import { isOfVisibleExam, type Viewer } from '../../command/locks/visibleExams.ts';
import { shownCandidate } from '../../exams/candidates/shownCandidate.ts';
import { isOwnWork } from './ownShare.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';

/*
 * What an institute's teachers have to look at: live submissions of all exams that need a review, or those with a flag.
 * `openAnswers.ts` has the answers to one question on which no teacher has decided.
 */

/**
 * Condition on `submissions s`: a live submission needs a teacher and is not finalized. It matches the partial index
 * `submissions_to_review` literally. A failed submission is always flagged.
 */
const isOpen = sql<boolean>`s.state = 'live' and s.needs_review and s.finalized_at is null`;

/** The same for a submission with a flag, which a person has set on a question, whether it needs a review or not. */
const isFlagged = (viewer: Viewer): RawBuilder<boolean> =>
  sql<boolean>`s.state = 'live' and s.finalized_at is null and s.id = any(array(
    select f.submission_id from marking_flags f where f.institute_id = ${viewer.institute_id}))`;

/** Admins see all exams; the look-up for each row is left out for them. */
const isSeenBy = (viewer: Viewer): RawBuilder<boolean> =>
  viewer.staff?.role === 'examiner' ? isOfVisibleExam(viewer) : sql<boolean>`true`;

/** Questions of a submission `s` that need a look, with their reasons. A failed submission shows no results. */
const openResults = sql`
  from question_results r
  ${joinReview}
  where r.institute_id = s.institute_id and r.run_id = s.current_run_id
    and coalesce(v.needs_review, r.needs_review) and s.status in ('graded', 'partially_graded')`;

/** Condition on a submission `s`: a question to look at is the viewer's own work, or the copy is if there is none. */
const isOwn = (viewer: Viewer, flagged: boolean): RawBuilder<boolean> =>
  flagged
    ? sql<boolean>`exists (select from marking_flags f where f.institute_id = s.institute_id
        and f.submission_id = s.id and ${isOwnWork(viewer, sql`f.question_id`)})`
    : sql<boolean>`(exists (select ${openResults} and ${isOwnWork(viewer, sql`r.question_id`)})
        or (not exists (select ${openResults}) and ${isOwnWork(viewer)}))`;

export const QueueQuery = z.object({
  exam_id: z.uuid().optional(),
  /** A reason of the submission or of one of its questions, such as `low_confidence`. */
  reason: z.string().min(1).max(64).optional(),
  /** True for submissions with a flag instead of those that need a review. */
  flagged: z.boolean().default(false),
  /** Only submissions with a question to look at that is the viewer's own work. */
  own_only: z.boolean().default(false),
  cursor: z.string().max(2000).optional(),
  limit: z.int().gte(1).lte(100).default(50),
});
export type QueueQuery = z.infer<typeof QueueQuery>;

interface QueuedForReview {
  submission_id: string;
  exam: { id: string; title: string };
  candidate: { id: string; external_id: string; name: string | null; roll_number: string | null };
  status: SubmissionStatus;
  pages: number | null;
  /** Reasons of the submission as a whole; `failed` if its grading failed. */
  reasons: string[];
  /**
   * Questions that need a look and have no mark of a teacher, and questions with a flag, whose reason is `flagged`.
   * Those with a flag come first, each kind in paper order.
   */
  questions: { question_id: string; label: string; confidence: number | null; reasons: string[] }[];
  updated_at: string;
}

interface ReviewQueue {
  data: QueuedForReview[];
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * Submissions that one call with a reason, or with own work alone, examines. A page may then hold fewer than `limit`,
 * or none.
 */
const MOST_EXAMINED = 500;

/**
 * Lists live submissions of all exams that need a teacher, those that wait longest first. Names are null on a blind
 * exam.
 * @throws DomainFailure exam_not_found, invalid_cursor
 */
export const listReviewQueue = (
  services: Services,
  actor: Actor,
  { exam_id, reason, flagged, own_only, cursor, limit }: QueueQuery,
): Promise<ReviewQueue> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const examId = exam_id === undefined ? null : (await findExam(tx, actor, exam_id)).id;
    const keys = services.settings.actorSigningKeys;
    const scope = { instituteId, list: 'review_queue', filters: { exam_id, reason, flagged, own_only } };
    const after = cursor === undefined ? null : readCursor(cursor, scope, keys);
    const window = reason === undefined && !own_only ? limit + 1 : MOST_EXAMINED;
    const { rows } = await queueRows(actor, {
      examId,
      reason: reason ?? null,
      flagged,
      ownOnly: own_only,
      after,
      window,
      limit,
    }).execute(tx);
    const found = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }]));
    const data = found.slice(0, limit);
    const [first] = rows;
    const last = found.length > limit ? data.at(-1) : undefined;
    const position: Position | null =
      last !== undefined
        ? { updated_at: last.updated_at.toISOString(), id: last.id }
        : first !== undefined && first.examined === window && first.last_id !== null && first.last_at !== null
          ? { updated_at: first.last_at.toISOString(), id: first.last_id }
          : null;
    return {
      data: data.map(shown),
      next_cursor: position === null ? null : writeCursor(position, scope, keys[0] ?? ''),
      has_more: position !== null,
    };
  });

interface QueueRow {
  /** Submissions that the call has examined, the same in each row; one row if no submission was found. */
  examined: number;
  last_id: string | null;
  last_at: Date | null;
  id: string | null;
  exam_id: string;
  title: string;
  candidate_id: string;
  external_id: string;
  name: string | null;
  roll_number: string | null;
  status: SubmissionStatus;
  pages: number | null;
  review_reasons: string[];
  questions: QueuedForReview['questions'];
  updated_at: Date;
}

const shown = (row: QueueRow & { id: string }): QueuedForReview => ({
  submission_id: row.id,
  exam: { id: row.exam_id, title: row.title },
  candidate: {
    id: row.candidate_id,
    external_id: row.external_id,
    name: row.name,
    roll_number: row.roll_number,
  },
  status: row.status,
  pages: row.pages,
  reasons: row.review_reasons,
  questions: row.questions,
  updated_at: row.updated_at.toISOString(),
});

const ownReasons = sql`
  case when s.status = 'failed' then array_append(s.review_reasons, 'failed') else s.review_reasons end`;

/**
 * Cuts the examined submissions before any join, as `chosenSubmissions` does; the lateral limits keep the planner from
 * joining whole tables. Exported for a test of its plan.
 */
export const queueRows = (
  viewer: Viewer,
  choice: {
    examId: string | null;
    reason: string | null;
    flagged: boolean;
    ownOnly: boolean;
    after: Pick<Position, 'updated_at' | 'id'> | null;
    window: number;
    limit: number;
  },
): RawBuilder<QueueRow> => {
  const { examId, reason, flagged, ownOnly, after, window, limit } = choice;
  return sql<QueueRow>`
  with examined as materialized (
    select s.id, s.institute_id, s.exam_id, s.candidate_id, s.status, s.pages, s.review_reasons, s.current_run_id,
      s.updated_at
    from submissions s
    where s.institute_id = ${viewer.institute_id} and ${flagged ? isFlagged(viewer) : isOpen} and ${isSeenBy(viewer)}
      and ${examId === null ? sql`true` : sql`s.exam_id = ${examId}`}
      and ${after === null ? sql`true` : sql`(s.updated_at, s.id) > (${after.updated_at}::timestamptz, ${after.id}::uuid)`}
    order by s.updated_at, s.id limit ${window}),
  found as (
    select s.* from examined s
    where ${
      reason === null
        ? sql`true`
        : sql`(${reason} = any(${ownReasons}) or exists (select ${openResults} and ${reason} = any(coalesce(v.review_reasons, r.review_reasons))))`
    } and ${ownOnly ? isOwn(viewer, flagged) : sql`true`}
    order by s.updated_at, s.id limit ${limit + 1})
  select b.examined, b.last_id, b.last_at, s.id, s.exam_id, e.title, c.id as candidate_id, c.external_id, c.name,
    c.roll_number, s.status, s.pages, ${ownReasons} as review_reasons,
    s.updated_at,
    (select coalesce(json_agg(json_build_object('question_id', p.id, 'label', p.label,
        'confidence', r.confidence::float8, 'reasons', r.reasons) order by coalesce(r.reasons[1] <> 'flagged', true), p.position), '[]')
      from (
        select r.institute_id, r.question_id, coalesce(v.confidence, r.confidence) as confidence,
          case when f.question_id is null then array[]::text[] else array['flagged'] end
            || case when coalesce(v.needs_review, r.needs_review)
              then coalesce(v.review_reasons, r.review_reasons) else array[]::text[] end as reasons
        from question_results r
        ${joinReview}
        left join marking_flags f on f.institute_id = s.institute_id and f.submission_id = s.id
          and f.question_id = r.question_id
        where r.institute_id = s.institute_id and r.run_id = s.current_run_id
          and s.status in ('graded', 'partially_graded')
          and (coalesce(v.needs_review, r.needs_review) or f.question_id is not null)
          and ${ownOnly ? isOwnWork(viewer, sql`r.question_id`) : sql`true`}) r
      join questions p on p.institute_id = r.institute_id and p.id = r.question_id) as questions
  from (select count(*)::int as examined, (array_agg(id order by updated_at desc, id desc))[1] as last_id,
    max(updated_at) as last_at from examined) b
  left join found s on true
  left join lateral (select e.title from exams e
    where e.institute_id = s.institute_id and e.id = s.exam_id limit 1) e on true
  left join lateral (select c.* from ${shownCandidate(viewer, 's')} c limit 1) c on true
  order by s.updated_at, s.id`;
};

interface QueueCounts {
  /** Submissions that were counted, at most MOST_COUNTED. */
  counted: number;
  /** False if there are more; the counts are then those of the submissions that wait longest. */
  is_complete: boolean;
  exams: { exam_id: string; title: string; submissions: number }[];
  /** Number of submissions with the reason, on the submission or on a question. */
  reasons: { reason: string; submissions: number }[];
  /** Submissions with a flag. */
  flagged: number;
  /** Counted submissions that are this person's own work; null if no work is shared out to this person. */
  own: number | null;
}

/** Each counted submission costs a look-up of its results. */
const MOST_COUNTED = 2000;

/** Counts the review queue by exam and by reason, for the filters of the queue. */
export const countReviewQueue = (services: Services, actor: Actor): Promise<QueueCounts> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { rows } = await sql<Omit<QueueCounts, 'is_complete'>>`
      with counted as materialized (
        select s.id, s.institute_id, s.exam_id, s.candidate_id, s.status, s.review_reasons,
          s.current_run_id
        from submissions s
        where s.institute_id = ${actor.institute_id} and ${isOpen} and ${isSeenBy(actor)}
        order by s.updated_at, s.id limit ${MOST_COUNTED + 1}),
      reasons as (
        select distinct s.id, x.reason from counted s
        cross join lateral (
          select unnest(s.review_reasons) as reason
          union all select 'failed' where s.status = 'failed'
          union all select unnest(coalesce(v.review_reasons, r.review_reasons)) ${openResults}) x)
      select (select count(*)::int from counted) as counted,
        (select count(*)::int from submissions s
          where s.institute_id = ${actor.institute_id} and ${isFlagged(actor)} and ${isSeenBy(actor)}) as flagged,
        case when exists (select from marking_shares m
            where m.institute_id = ${actor.institute_id} and m.staff_id = ${actor.key_id}::uuid)
          then (select count(*)::int from counted s where ${isOwn(actor, false)}) end as own,
        (select coalesce(json_agg(json_build_object('exam_id', e.id, 'title', e.title, 'submissions', n.submissions)
            order by n.submissions desc, e.id), '[]')
          from (select exam_id, count(*)::int as submissions from counted group by exam_id) n
          join exams e on e.institute_id = ${actor.institute_id} and e.id = n.exam_id) as exams,
        (select coalesce(json_agg(json_build_object('reason', n.reason, 'submissions', n.submissions)
            order by n.submissions desc, n.reason), '[]')
          from (select reason, count(*)::int as submissions from reasons group by reason) n) as reasons`.execute(
      tx,
    );
    const { counted, ...counts } = rows[0] ?? {
      counted: 0,
      exams: [],
      reasons: [],
      flagged: 0,
      own: null,
    };
    return { counted: Math.min(counted, MOST_COUNTED), is_complete: counted <= MOST_COUNTED, ...counts };
  });
