import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { GradingError, Warning, type Submission } from '@evaluation/rest-contract/schemas';
import { isOver } from '@evaluation/rules';
import * as z from 'zod/v4';
import type { LanePace } from '../command/lanePace.ts';
import type { Viewer } from '../command/locks/visibleExams.ts';
import { shownCandidate } from '../exams/candidates/shownCandidate.ts';
import { secondsLeft, secondsToWait } from './estimates.ts';
import { queuePlaces } from './queuePlaces.ts';

interface SubmissionRow {
  id: string;
  exam_id: string;
  candidate_id: string;
  external_id: string;
  state: Submission['state'];
  replaced_by: string | null;
  status: Submission['status'];
  lane: Submission['lane'];
  current_run_id: string;
  pages: number | null;
  needs_review: boolean;
  review_reasons: string[];
  finalized_at: Date | null;
  attempt_count: number;
  rubric_version: number | null;
  questions_total: number;
  questions_done: number;
  quote_unit: string;
  quote_credits: string;
  quote_rate_source: string;
  credits_charged: string | null;
  error: unknown;
  warnings: unknown;
  metadata: unknown;
  created_at: Date;
  updated_at: Date;
  /** Seconds since the run was first claimed; null unless it is being graded. */
  running_seconds: number | null;
}

/** Selects submissions `s`, in the order of `(updated_at, id)`. */
export interface Choice {
  where: RawBuilder<boolean>;
  limit?: number;
}

/**
 * Applies the limit before any join: under row-level security the planner lacks statistics and would join whole tables
 * before it cuts the page.
 */
export const chosenSubmissions = (instituteId: string, { where, limit }: Choice): RawBuilder<unknown> => sql`(
    select s.* from submissions s
    where s.institute_id = ${instituteId} and ${where}
    order by s.updated_at, s.id
    ${limit === undefined ? sql`` : sql`limit ${limit}`})`;

/** Exported for a test of its plan. */
export const submissionRows = (
  viewer: Viewer,
  choice: Choice,
): RawBuilder<SubmissionRow> => sql<SubmissionRow>`
  select s.id, s.exam_id, c.id as candidate_id, c.external_id, s.state, s.replaced_by, s.status, s.lane, s.current_run_id,
    s.pages, s.needs_review, s.review_reasons, s.finalized_at, s.attempt_count, s.rubric_version, s.questions_total,
    s.questions_done, s.quote_unit, s.quote_credits, s.quote_rate_source, s.credits_charged, s.error, s.warnings,
    case when not c.is_hidden then s.metadata end as metadata, s.created_at, s.updated_at,
    case when s.status in ('processing', 'reading', 'grading') then (
      select extract(epoch from clock_timestamp() - r.claimed_at)::float8 from runs r
      where r.institute_id = s.institute_id and r.id = s.current_run_id)
    end as running_seconds
  from ${chosenSubmissions(viewer.institute_id, choice)} s
  join lateral ${shownCandidate(viewer, 's')} c on true
  order by s.updated_at, s.id`;

/** Queue places and estimates are computed on each read and never stored, so they do not change `updated_at`. */
export const selectSubmissions = async (
  tx: Tx,
  viewer: Viewer,
  pace: Pick<LanePace, 'of'>,
  choice: Choice,
): Promise<Submission[]> => {
  const { rows } = await submissionRows(viewer, choice).execute(tx);
  const places = await queuePlaces(
    tx,
    viewer.institute_id,
    rows.filter(({ status }) => status === 'queued'),
  );
  return rows.map((row) => representation(row, places.get(row.current_run_id) ?? null, pace));
};

const Metadata = z.record(z.string(), z.unknown());
const Warnings = z.array(Warning);

/** @param ahead runs before it in the queue; null unless it is queued */
export const representation = (
  row: SubmissionRow,
  ahead: number | null,
  pace: Pick<LanePace, 'of'>,
): Submission => {
  const marksNothingByAi = row.questions_total === 0;
  const isRunning = row.status !== 'queued' && !isOver(row.status);
  return {
    id: row.id,
    exam_id: row.exam_id,
    candidate: { id: row.candidate_id, external_id: row.external_id },
    state: row.state,
    ...(row.replaced_by === null ? {} : { replaced_by: row.replaced_by }),
    status: row.status,
    lane: row.lane,
    pages: row.pages,
    needs_review: row.needs_review,
    review_reasons: row.review_reasons,
    finalized: row.finalized_at !== null,
    finalized_at: row.finalized_at?.toISOString() ?? null,
    progress: marksNothingByAi
      ? null
      : {
          step: row.status,
          questions_done: row.questions_done,
          questions_total: row.questions_total,
          ...(isRunning
            ? { estimated_ready_at: secondsFromNow(secondsLeft(row.running_seconds ?? 0, pace.of(row.lane))) }
            : {}),
        },
    queue:
      ahead === null
        ? null
        : {
            position: ahead,
            estimated_ready_at: secondsFromNow(secondsToWait(ahead, pace.of(row.lane))),
          },
    attempt_count: row.attempt_count,
    rubric_version: row.rubric_version,
    credits_charged: row.credits_charged === null ? null : Number(row.credits_charged),
    error: row.error === null ? null : GradingError.parse(row.error),
    metadata: row.metadata === null ? null : Metadata.parse(row.metadata),
    quote: {
      unit: row.quote_unit === 'page' ? 'page' : 'answer',
      ...(row.pages === null ? {} : { pages: row.pages }),
      credits: Number(row.quote_credits),
      rate_source: row.quote_rate_source === 'contract' ? 'contract' : 'standard',
    },
    warnings: Warnings.parse(row.warnings),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
};

const secondsFromNow = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
