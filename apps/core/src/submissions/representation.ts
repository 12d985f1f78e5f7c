import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { GradingError, Warning, type Submission } from '@evaluation/rest-contract/schemas';
import { isOver } from '@evaluation/rules';
import * as z from 'zod/v4';

/** The row behind a submission as the API shows it (spec 2.6). */
interface SubmissionRow {
  id: string;
  exam_id: string;
  candidate_id: string;
  external_id: string;
  state: Submission['state'];
  replaced_by: string | null;
  status: Submission['status'];
  lane: Submission['lane'];
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
  /** Runs of the same institute and lane that wait before this one; null unless queued. */
  ahead: number | null;
  /** Seconds that the institute's last runs of the lane took; null when none has been measured, or none is waited for. */
  pace: number | null;
}

type Lane = Submission['lane'];

/** What a lane is taken to need for one run while it has measured none, in seconds. */
const PACE_BEFORE_MEASURED = 60;
const SOONEST_SECONDS = 30;

/**
 * Reads submissions in one statement, queue places included: they are computed here and never stored, so they never
 * move `updated_at` (design 3.6).
 * @param choose a condition on `s` (submissions), with its order and limit
 */
export const selectSubmissions = async (
  tx: Tx,
  instituteId: string,
  choose: { where: RawBuilder<boolean>; tail?: RawBuilder<unknown> },
): Promise<Submission[]> => {
  // Under row-level security an enum is no condition of an index: each lane has partial indexes, named by its literal.
  const ahead = (lane: Lane) => sql`(
    select (select count(*) from runs r where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)}
              and r.status = 'queued' and (r.queued_at, r.id) < (mine.queued_at, mine.id))::int
         + (select count(*) from runs r where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)}
              and r.status = 'released' and (r.queued_at, r.id) < (mine.queued_at, mine.id))::int
    from runs mine where mine.id = s.current_run_id)`;
  const pace = (lane: Lane) => sql`(
    select avg(extract(epoch from last.finished_at - last.claimed_at))::float8 as seconds from (
      select r.finished_at, r.claimed_at from runs r
      where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)} and r.status = 'completed'
      order by r.finished_at desc limit 20) last)`;
  const { rows } = await sql<SubmissionRow>`
    with pace_copy as materialized ${pace('copy')}, pace_typed as materialized ${pace('typed')}
    select s.id, s.exam_id, s.candidate_id, c.external_id, s.state, s.replaced_by, s.status, s.lane, s.pages,
      s.needs_review, s.review_reasons, s.finalized_at, s.attempt_count, s.rubric_version, s.questions_total,
      s.questions_done, s.quote_unit, s.quote_credits, s.quote_rate_source, s.credits_charged, s.error, s.warnings,
      s.metadata, s.created_at, s.updated_at,
      case when s.status = 'queued' then
        case s.lane when 'copy' then ${ahead('copy')} else ${ahead('typed')} end
      end as ahead,
      case when s.status in ('queued', 'processing', 'reading', 'grading') then
        case s.lane when 'copy' then (select seconds from pace_copy) else (select seconds from pace_typed) end
      end as pace
    from submissions s
    join candidates c on c.id = s.candidate_id
    join exams e on e.id = s.exam_id and e.source = 'api'
    where s.institute_id = ${instituteId} and ${choose.where}
    ${choose.tail ?? sql``}`.execute(tx);
  return rows.map(representation);
};

const representation = (row: SubmissionRow): Submission => {
  const over = isOver(row.status);
  const marksNothingByAi = row.questions_total === 0;
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
          ...(over || row.status === 'queued' ? {} : { estimated_ready_at: estimate(row, 0) }),
        },
    queue: row.ahead === null ? null : { position: row.ahead, estimated_ready_at: estimate(row, row.ahead) },
    attempt_count: row.attempt_count,
    rubric_version: row.rubric_version,
    credits_charged: row.credits_charged === null ? null : Number(row.credits_charged),
    error: row.error === null ? null : GradingError.parse(row.error),
    metadata: row.metadata === null ? null : z.record(z.string(), z.unknown()).parse(row.metadata),
    quote: {
      unit: row.quote_unit === 'page' ? 'page' : 'answer',
      ...(row.pages === null ? {} : { pages: row.pages }),
      credits: Number(row.quote_credits),
      rate_source: row.quote_rate_source === 'contract' ? 'contract' : 'standard',
    },
    warnings: z.array(Warning).parse(row.warnings),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
};

/** Never earlier than 30 seconds from now (spec 4.7, rule 8). */
const estimate = (row: SubmissionRow, ahead: number): string => {
  const seconds = Math.max(SOONEST_SECONDS, (row.pace ?? PACE_BEFORE_MEASURED) * (ahead + 1));
  return new Date(Date.now() + seconds * 1000).toISOString();
};
