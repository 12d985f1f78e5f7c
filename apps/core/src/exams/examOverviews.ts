import { sql, type RawBuilder } from 'kysely';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { examStatus, type StoredExamStatus } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { isUuid } from '../command/accept.ts';
import { isVisibleTo, type Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';

/** Counts above this are shown as this number, so that the list stays fast beside a huge exam. */
export const MOST_COUNTED = 10_000;

/** Live submissions of an exam. `waiting` is in the queue, `running` is being graded. */
interface SubmissionCounts {
  total: number;
  waiting: number;
  running: number;
  graded: number;
  partially_graded: number;
  failed: number;
  cancelled: number;
  needs_review: number;
  finalized: number;
}

interface ExamOverview {
  id: string;
  title: string;
  external_ref: string | null;
  source: 'api' | 'desk';
  status: Exam['status'];
  mode: Exam['mode'];
  subject: string | null;
  class: string | null;
  conducted_on: string;
  blind: boolean;
  /** For trying the service; its first copies cost nothing, and the desk can remove it with its copies. */
  is_sample: boolean;
  total_marks: number;
  question_count: number;
  /** At most MOST_COUNTED. */
  candidates: number;
  submissions: SubmissionCounts;
  created_at: string;
  updated_at: string;
}

type Stored = 'source' | 'status' | 'total_marks' | 'submissions' | 'created_at' | 'updated_at';

interface OverviewRow extends Omit<ExamOverview, Stored> {
  source: 'api' | 'dashboard';
  status: StoredExamStatus;
  total_marks: string;
  live_submissions: number;
  live_unfinalized: number;
  created_at: Date;
  updated_at: Date;
  needs_review: number;
  not_graded: Record<string, number> | null;
}

export const ExamFilter = z.object({
  /** Part of the title or of the external_ref; letter case is ignored. */
  search: z.string().trim().max(255).optional(),
  status: z.enum(['draft', 'open', 'finalized']).optional(),
  source: z.enum(['api', 'desk']).optional(),
  /** Id of the last exam of the previous page. */
  cursor: z.uuid().optional(),
  limit: z.int().gte(1).lte(100).default(25),
});
export type ExamFilter = z.infer<typeof ExamFilter>;

interface ExamOverviews {
  data: ExamOverview[];
  next_cursor: string | null;
}

/** Lists exams, newest first. A search reads the exams of the institute until a page is full. */
export const listExamOverviews = async (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  filter: ExamFilter,
): Promise<ExamOverviews> => {
  const { rows } = await database.inTenant(actor.institute_id, (tx) =>
    overviewRows(actor, matches(filter), filter.limit + 1).execute(tx),
  );
  const page = rows.slice(0, filter.limit);
  return {
    data: page.map(overviewOf),
    next_cursor: rows.length > filter.limit ? (page.at(-1)?.id ?? null) : null,
  };
};

/** @throws DomainFailure exam_not_found */
export const examOverview = async (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
): Promise<ExamOverview> => {
  if (!isUuid(examId)) throw new DomainFailure('exam_not_found');
  const { rows } = await database.inTenant(actor.institute_id, (tx) =>
    overviewRows(actor, sql<boolean>`e.id = ${examId}`, 1).execute(tx),
  );
  const [row] = rows;
  if (row === undefined) throw new DomainFailure('exam_not_found');
  return overviewOf(row);
};

const isFinalized = sql<boolean>`(e.status = 'open' and e.live_submissions > 0 and e.live_unfinalized = 0)`;

const matches = ({ search = '', status, source, cursor }: ExamFilter): RawBuilder<boolean> => {
  const conditions = [sql<boolean>`true`];
  if (cursor !== undefined) conditions.push(sql<boolean>`e.id < ${cursor}`);
  if (source !== undefined) conditions.push(sql<boolean>`e.source = ${STORED_SOURCE[source]}`);
  if (status === 'draft') conditions.push(sql<boolean>`e.status = 'draft'`);
  if (status === 'open') conditions.push(sql<boolean>`(e.status = 'open' and not ${isFinalized})`);
  if (status === 'finalized') conditions.push(isFinalized);
  if (search !== '') {
    conditions.push(sql<boolean>`(strpos(lower(e.title), lower(${search})) > 0
      or strpos(lower(coalesce(e.external_ref, '')), lower(${search})) > 0)`);
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
};

const STORED_SOURCE = { api: 'api', desk: 'dashboard' } as const;

/**
 * Selects exams that are not deleted, newest first, with their counts. The page is cut before anything is counted. The
 * condition on `status` repeats that of the partial index. Exported for a test of its plan.
 */
export const overviewRows = (
  viewer: Viewer,
  where: RawBuilder<boolean>,
  limit: number,
): RawBuilder<OverviewRow> => sql<OverviewRow>`
  select e.id, e.title, e.external_ref, e.source, e.status, e.mode, e.subject, e.class, e.conducted_on, e.blind, e.is_sample,
    e.total_marks, e.question_count, e.live_submissions, e.live_unfinalized, e.created_at, e.updated_at,
    (select count(*)::int from (
      select from registrations r where r.institute_id = e.institute_id and r.exam_id = e.id
      limit ${MOST_COUNTED}) registered) as candidates,
    (select count(*)::int from (
      select from submissions s
      where s.institute_id = e.institute_id and s.exam_id = e.id and s.state = 'live' and s.needs_review
      limit ${MOST_COUNTED}) flagged) as needs_review,
    (select json_object_agg(status, number) from (
      select status, count(*)::int as number from (
        select s.status from submissions s
        where s.institute_id = e.institute_id and s.exam_id = e.id and s.state = 'live' and s.status <> 'graded'
        limit ${MOST_COUNTED}) open
      group by status) counted) as not_graded
  from (
    select * from exams e
    where e.institute_id = ${viewer.institute_id} and e.status <> 'deleted' and ${isVisibleTo(viewer)} and ${where}
    order by e.institute_id desc, e.id desc
    limit ${limit}) e
  order by e.id desc`;

const overviewOf = (row: OverviewRow): ExamOverview => {
  const { not_graded, needs_review, live_submissions, live_unfinalized, source, ...rest } = row;
  const count = (...statuses: string[]): number =>
    statuses.reduce((sum, status) => sum + (not_graded?.[status] ?? 0), 0);
  return {
    ...rest,
    source: source === 'api' ? 'api' : 'desk',
    status: examStatus(row),
    total_marks: Number(row.total_marks),
    submissions: {
      total: live_submissions,
      waiting: count('queued'),
      running: count('processing', 'reading', 'grading'),
      graded: Math.max(0, live_submissions - count(...Object.keys(not_graded ?? {}))),
      partially_graded: count('partially_graded'),
      failed: count('failed'),
      cancelled: count('cancelled'),
      needs_review,
      finalized: live_submissions - live_unfinalized,
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
};
