import { sql, type RawBuilder } from 'kysely';
import { GradingError, type Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import type { CandidateRow } from '../exams/candidates/representation.ts';
import { placeInList, shownCandidate } from '../exams/candidates/shownCandidate.ts';
import { findExam } from '../command/locks/findExam.ts';
import type { Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';

/** A registered candidate of an exam with the live submission, as the desk lists them. */
interface CopyOfCandidate {
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
    approved: boolean;
    questions_done: number;
    questions_total: number;
    error: GradingError | null;
    /** Null for typed answers. */
    file_name: string | null;
    updated_at: string;
  } | null;
}

interface CopyRow extends Omit<CandidateRow, 'metadata' | 'created_at' | 'updated_at'> {
  registration_id: string;
  submission_id: string | null;
  status: Submission['status'];
  pages: number | null;
  needs_review: boolean;
  review_reasons: string[];
  is_finalized: boolean;
  is_approved: boolean;
  questions_done: number;
  questions_total: number;
  error: unknown;
  file_name: string | null;
  updated_at: Date;
}

export const CopyFilter = z.object({
  /** `none`: the candidate has no submission. `unfinished`: in the queue or being graded. */
  show: z.enum(['all', 'none', 'unfinished', 'failed', 'needs_review', 'graded']).default('all'),
  /** Part of the name, roll number or external_id, as far as they are shown; letter case is ignored. */
  search: z.string().trim().max(255).optional(),
  /** `next_cursor` of the previous page. */
  cursor: z.uuid().optional(),
  limit: z.int().gte(1).lte(500).default(50),
});
export type CopyFilter = z.infer<typeof CopyFilter>;

/**
 * Lists the candidates of an exam in the order in which they were created. A filter reads the exam's registrations
 * until a page is full. @throws DomainFailure exam_not_found
 */
export const copiesOfExam = (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  filter: CopyFilter,
): Promise<{ data: CopyOfCandidate[]; next_cursor: string | null }> =>
  database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const { rows } = await copyRows(actor, exam, filter).execute(tx);
    const page = rows.slice(0, filter.limit);
    return {
      data: page.map(copyOf),
      next_cursor: rows.length > filter.limit ? (page.at(-1)?.registration_id ?? null) : null,
    };
  });

const SHOWN: Record<CopyFilter['show'], RawBuilder<boolean>> = {
  all: sql`true`,
  none: sql`s.id is null`,
  unfinished: sql`s.status in ('queued', 'processing', 'reading', 'grading')`,
  failed: sql`s.status in ('failed', 'cancelled', 'partially_graded')`,
  needs_review: sql`s.needs_review`,
  graded: sql`s.status = 'graded'`,
};

/** Exported for a test of its plan. */
export const copyRows = (
  viewer: Viewer,
  exam: { id: string; blind: boolean },
  { show, search = '', cursor, limit }: CopyFilter,
): RawBuilder<CopyRow> => {
  const found =
    search === ''
      ? sql`true`
      : sql`strpos(lower(concat_ws(' ', c.name, c.roll_number, c.external_id)), lower(${search})) > 0`;
  const place = placeInList(viewer, exam, 'r');
  const isBeyond =
    cursor === undefined
      ? sql`true`
      : sql`${place} > (select ${placeInList(viewer, exam, 'g')} from registrations g
          where g.institute_id = ${viewer.institute_id} and g.exam_id = ${exam.id} and g.id = ${cursor})`;
  return sql<CopyRow>`
    select r.id as registration_id, c.id, c.external_id, c.name, c.roll_number, c.section_or_class,
      s.id as submission_id, s.status, s.pages, s.needs_review, s.review_reasons, s.questions_done, s.questions_total,
      s.finalized_at is not null as is_finalized, s.approved_at is not null as is_approved, s.error, s.updated_at,
      (select u.file_name from uploads u
        where not c.is_hidden and u.institute_id = s.institute_id and u.id = s.upload_id) as file_name
    from registrations r
    cross join lateral (select c.* from ${shownCandidate(viewer, 'r')} c limit 1) c
    left join lateral (
      select s.* from submissions s
      where s.institute_id = r.institute_id and s.exam_id = r.exam_id and s.candidate_id = r.candidate_id
        and s.state = 'live'
      limit 1) s on true
    where r.institute_id = ${viewer.institute_id} and r.exam_id = ${exam.id}
      and ${isBeyond} and ${SHOWN[show]} and ${found}
    order by r.exam_id, ${place}
    limit ${limit + 1}`;
};

const copyOf = (row: CopyRow): CopyOfCandidate => ({
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
          finalized: row.is_finalized,
          approved: row.is_approved,
          questions_done: row.questions_done,
          questions_total: row.questions_total,
          error: row.error === null ? null : GradingError.parse(row.error),
          file_name: row.file_name,
          updated_at: row.updated_at.toISOString(),
        },
});
