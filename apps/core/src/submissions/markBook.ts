import { sql, type RawBuilder } from 'kysely';
import { GradingError, type Submission } from '@evaluation/rest-contract/schemas';
import { addUp } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { joinReview } from '../guides/guideMarks.ts';
import { isUuid } from '../command/accept.ts';
import type { CandidateRow } from '../exams/candidates/representation.ts';
import { placeInList, shownCandidate } from '../exams/candidates/shownCandidate.ts';
import { findExam } from '../command/locks/findExam.ts';
import type { Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';
import { isOutdated } from './outdated.ts';

/*
 * The mark book of an exam: a row for each registered candidate, with the live submission and a mark for each question.
 *
 * Rows are in the natural order of roll numbers (9 before 10), or in the order of marks. Both read all registrations of
 * the exam, so an exam with more than MOST_SORTED keeps the order of registration, of which a page reads a page.
 */

const MOST_SORTED = 5000;
/** Marks of one page. */
const MOST_MARKS = 20_000;

interface BookMark {
  awarded: number | null;
  /**
   * `flagged`: a person has flagged the answer. `review`: it needs a review. `open`: no teacher has decided on it.
   * `changed`: a teacher gave another mark than the AI. Null: decided, or by key.
   */
  sign: 'flagged' | 'review' | 'open' | 'changed' | null;
}

/** A registered candidate of an exam with the live submission. */
interface RowOfCandidate {
  candidate: {
    id: string;
    external_id: string;
    /** Null on a blind exam. */
    name: string | null;
    roll_number: string | null;
    section_or_class: string | null;
  };
  submission: {
    id: string;
    status: Submission['status'];
    pages: number | null;
    needs_review: boolean;
    review_reasons: string[];
    finalized: boolean;
    finalized_at: string | null;
    approved: boolean;
    questions_done: number;
    questions_total: number;
    /** Whether `regrade.restore` can show the marks of an earlier run. */
    has_earlier_marks: boolean;
    error: GradingError | null;
    /** Null for typed answers. */
    file_name: string | null;
    updated_at: string;
    /** Sum over the questions that count; null unless graded or partially graded. */
    awarded: number | null;
    max: number | null;
    /** In the order of `questions`; null without a result that may be shown. */
    marks: (BookMark | null)[];
  } | null;
}

interface MarkBook {
  questions: { question_id: string; label: string; max: number }[];
  data: RowOfCandidate[];
  /** False for an exam with too many candidates to sort. */
  is_sorted: boolean;
  next_cursor: string | null;
}

interface BookRow extends Omit<CandidateRow, 'metadata' | 'created_at' | 'updated_at'> {
  registration_id: string;
  submission_id: string | null;
  status: Submission['status'];
  pages: number | null;
  needs_review: boolean;
  review_reasons: string[];
  finalized_at: Date | null;
  is_approved: boolean;
  questions_done: number;
  questions_total: number;
  has_earlier_marks: boolean;
  error: unknown;
  file_name: string | null;
  updated_at: Date;
  marks: Record<string, BookMark & { max: number; counted: boolean }> | null;
}

export const BookQuery = z.object({
  /**
   * `none`: the candidate has no submission. `unfinished`: in the queue or being graded. `outdated`: a rubric or model
   * answer has changed since it was graded (`outdated.ts`).
   */
  show: z
    .enum([
      'all',
      'none',
      'unfinished',
      'failed',
      'needs_review',
      'flagged',
      'changed',
      'outdated',
      'graded',
      'finalized',
    ])
    .default('all'),
  /** Part of the name, roll number or external_id, as far as they are shown; letter case is ignored. */
  search: z.string().trim().max(255).optional(),
  /** By `candidate`, by `total`, or by the marks of the question with this id. Candidates without marks come last. */
  sort: z.union([z.enum(['candidate', 'total']), z.uuid()]).default('candidate'),
  descending: z.boolean().default(false),
  /** False leaves out `marks` and their sums. */
  marks: z.boolean().default(true),
  /** `next_cursor` of the previous page. */
  cursor: z.union([z.uuid(), z.string().regex(/^\d{1,9}$/)]).optional(),
  limit: z.int().gte(1).lte(500).default(50),
});
export type BookQuery = z.infer<typeof BookQuery>;

/** @throws DomainFailure exam_not_found */
export const markBook = (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  query: BookQuery,
): Promise<MarkBook> =>
  database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const limit = Math.max(
      1,
      Math.min(query.limit, Math.floor(MOST_MARKS / Math.max(exam.question_count, 1))),
    );
    const { rows: questions } = await sql<MarkBook['questions'][number]>`
      select id as question_id, label, max_marks::float8 as max from questions
      where institute_id = ${actor.institute_id} and exam_id = ${exam.id} order by position`.execute(tx);
    const counted = await sql<{ count: number }>`
      select count(*)::int as count from (select from registrations
        where institute_id = ${actor.institute_id} and exam_id = ${exam.id} limit ${MOST_SORTED + 1}) r`.execute(
      tx,
    );
    const isSorted = (counted.rows[0]?.count ?? 0) <= MOST_SORTED;
    const wanted = { ...query, limit };
    const { rows } = await (
      isSorted ? sortedRows(actor, exam, wanted) : registeredRows(actor, exam, wanted)
    ).execute(tx);
    const page = rows.slice(0, limit);
    const next = isSorted ? String(offsetOf(query) + limit) : (page.at(-1)?.registration_id ?? null);
    return {
      questions,
      data: page.map((row) => rowOf(row, questions)),
      is_sorted: isSorted,
      next_cursor: rows.length > limit ? next : null,
    };
  });

/** A page of sorted rows begins at a number, because the values by which they are sorted change. */
const offsetOf = ({ cursor }: Pick<BookQuery, 'cursor'>): number => {
  const offset = Number(cursor ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
};

const SHOWN: Record<Exclude<BookQuery['show'], 'outdated'>, RawBuilder<boolean>> = {
  all: sql`true`,
  none: sql`s.id is null`,
  unfinished: sql`s.status in ('queued', 'processing', 'reading', 'grading')`,
  failed: sql`s.status in ('failed', 'cancelled', 'partially_graded')`,
  needs_review: sql`s.needs_review`,
  flagged: sql`exists (select from marking_flags f where f.institute_id = s.institute_id and f.submission_id = s.id)`,
  changed: sql`exists (
    select from reviews v
    join question_results q
      on q.institute_id = v.institute_id and q.run_id = s.current_run_id and q.question_id = v.question_id
    where v.institute_id = s.institute_id and v.submission_id = s.id and v.application = 0
      and v.awarded is distinct from q.awarded)`,
  graded: sql`s.status = 'graded'`,
  finalized: sql`s.finalized_at is not null`,
};

const isShown = (
  { institute_id: instituteId }: Viewer,
  exam: { id: string; rubric_version: number },
  show: BookQuery['show'],
): RawBuilder<boolean> =>
  show === 'outdated'
    ? isOutdated({ instituteId, examId: exam.id, version: exam.rubric_version })
    : SHOWN[show];

/** What a page shows of a registration `r`, its candidate `c` and the submission `s`. */
const SHOWN_COLUMNS = sql`r.id as registration_id, c.id, c.external_id, c.name, c.roll_number, c.section_or_class,
      s.id as submission_id, s.status, s.pages, s.needs_review, s.review_reasons, s.questions_done, s.questions_total,
      s.finalized_at, s.approved_at is not null as is_approved,
      s.earlier_marks is not null and s.status in ('failed', 'cancelled') as has_earlier_marks, s.error, s.updated_at,
      (select u.file_name from uploads u
        where not c.is_hidden and u.institute_id = s.institute_id and u.id = s.upload_id) as file_name`;

const LIVE_SUBMISSION = sql`
    left join lateral (
      select s.* from submissions s
      where s.institute_id = r.institute_id and s.exam_id = r.exam_id and s.candidate_id = r.candidate_id
        and s.state = 'live'
      limit 1) s on true`;

const marksOf = (isWanted: boolean): RawBuilder<unknown> =>
  isWanted
    ? sql`(
      select json_object_agg(r.question_id, json_build_object(
        'awarded', coalesce(v.awarded, r.awarded)::float8, 'max', r.max::float8, 'counted', r.counted,
        'sign', case
          when exists (select from marking_flags f
            where f.institute_id = r.institute_id and f.submission_id = s.id and f.question_id = r.question_id)
            then 'flagged'
          when v.application = 0 then case when v.awarded is distinct from r.awarded then 'changed' end
          when s.approved_at is not null then null
          when coalesce(v.needs_review, r.needs_review) then 'review'
          when r.source is distinct from 'auto' then 'open' end))
      from question_results r
      ${joinReview}
      where r.institute_id = s.institute_id and r.run_id = s.current_run_id
        and s.status in ('graded', 'partially_graded'))`
    : sql`null::json`;

const isFound = (search = ''): RawBuilder<unknown> =>
  search === ''
    ? sql`true`
    : sql`strpos(lower(concat_ws(' ', c.name, c.roll_number, c.external_id)), lower(${search})) > 0`;

/** Rows in the order of registration, or on a blind exam that of `placeInList`. Exported for a test of its plan. */
export const registeredRows = (
  viewer: Viewer,
  exam: { id: string; blind: boolean; rubric_version: number },
  { show, search, marks, cursor, limit }: Pick<BookQuery, 'show' | 'search' | 'marks' | 'cursor' | 'limit'>,
): RawBuilder<BookRow> => {
  const place = placeInList(viewer, exam, 'r');
  const isBeyond =
    cursor === undefined || !isUuid(cursor)
      ? sql`true`
      : sql`${place} > (select ${placeInList(viewer, exam, 'g')} from registrations g
          where g.institute_id = ${viewer.institute_id} and g.exam_id = ${exam.id} and g.id = ${cursor}::uuid)`;
  return sql<BookRow>`
    select ${SHOWN_COLUMNS}, ${marksOf(marks)} as marks
    from registrations r
    cross join lateral (select c.* from ${shownCandidate(viewer, 'r')} c limit 1) c
    ${LIVE_SUBMISSION}
    where r.institute_id = ${viewer.institute_id} and r.exam_id = ${exam.id}
      and ${isBeyond} and ${isShown(viewer, exam, show)} and ${isFound(search)}
    order by r.exam_id, ${place}
    limit ${limit + 1}`;
};

/** The roll number, or the id if there is none, as `shownCandidate` shows it. */
const ROLL = sql`coalesce(c.roll_number, c.external_id)`;

/**
 * Rows in natural order: the text before the last number, then the number, then the text. By marks, candidates with the
 * same marks are in natural order.
 */
const sortedRows = (
  viewer: Viewer,
  exam: { id: string; rubric_version: number },
  query: Pick<BookQuery, 'show' | 'search' | 'marks' | 'sort' | 'descending' | 'cursor' | 'limit'>,
): RawBuilder<BookRow> => {
  const { show, search, sort, limit } = query;
  const direction = query.descending ? sql`desc` : sql`asc`;
  const sumOf = (isWanted: RawBuilder<unknown>) => sql`(
      select sum(coalesce(v.awarded, r.awarded)) from question_results r
      ${joinReview}
      where r.institute_id = s.institute_id and r.run_id = s.current_run_id
        and s.status in ('graded', 'partially_graded') and ${isWanted})`;
  const value =
    sort === 'candidate'
      ? sql`null::numeric`
      : sumOf(sort === 'total' ? sql`r.counted` : sql`r.question_id = ${sort}::uuid`);
  const natural = sort === 'candidate' ? direction : sql`asc`;
  return sql<BookRow>`
    select page.*, case when page.submission_id is null then null else (
      select ${marksOf(query.marks)} from submissions s where s.institute_id = ${viewer.institute_id} and s.id = page.submission_id)
      end as marks
    from (
      select ${SHOWN_COLUMNS}, row_number() over (
        order by ${value} ${direction} nulls last, regexp_replace(${ROLL}, '[0-9]+[^0-9]*$', '') ${natural},
          substring(${ROLL} from '([0-9]{1,100})[^0-9]*$')::numeric ${natural} nulls first, ${ROLL} ${natural}, r.id) as place
      from registrations r
      cross join lateral (select c.* from ${shownCandidate(viewer, 'r')} c limit 1) c
      ${LIVE_SUBMISSION}
      where r.institute_id = ${viewer.institute_id} and r.exam_id = ${exam.id} and ${isShown(viewer, exam, show)} and ${isFound(search)}
    ) page
    order by page.place
    limit ${limit + 1} offset ${offsetOf(query)}`;
};

const rowOf = (row: BookRow, questions: MarkBook['questions']): RowOfCandidate => ({
  candidate: {
    id: row.id,
    external_id: row.external_id,
    name: row.name,
    roll_number: row.roll_number,
    section_or_class: row.section_or_class,
  },
  submission:
    row.submission_id === null
      ? null
      : {
          id: row.submission_id,
          status: row.status,
          pages: row.pages,
          needs_review: row.needs_review,
          review_reasons: row.review_reasons,
          finalized: row.finalized_at !== null,
          finalized_at: row.finalized_at?.toISOString() ?? null,
          approved: row.is_approved,
          questions_done: row.questions_done,
          questions_total: row.questions_total,
          has_earlier_marks: row.has_earlier_marks,
          error: row.error === null ? null : GradingError.parse(row.error),
          file_name: row.file_name,
          updated_at: row.updated_at.toISOString(),
          ...marksOfRow(row, questions),
        },
});

const marksOfRow = ({ marks }: BookRow, questions: MarkBook['questions']) => {
  if (marks === null) return { awarded: null, max: null, marks: questions.map(() => null) };
  const counted = Object.values(marks).filter((mark) => mark.counted);
  return {
    awarded: addUp(counted.map(({ awarded }) => awarded ?? 0)),
    max: addUp(counted.map(({ max }) => max)),
    marks: questions.map(({ question_id }): BookMark | null => {
      const mark = marks[question_id];
      return mark === undefined ? null : { awarded: mark.awarded, sign: mark.sign };
    }),
  };
};
