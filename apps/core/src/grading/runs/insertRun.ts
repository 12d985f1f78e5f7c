import { sql } from 'kysely';
import { write, type Tx } from '@evaluation/database';
import type { RunLane } from '@evaluation/jobs-contract';
import { MAX_VISION_PAGES, PAGES_BEYOND_VISION_LIMIT, type QuestionMarkedByKey } from '@evaluation/rules';
import { traceparentNow } from '@evaluation/platform/telemetry';

/** A new run: the first of a submission, or a re-evaluation. */
export interface NewRun {
  id: string;
  attempt: number;
  lane: RunLane;
  price: number;
}

/** Questions of a new run: those to mark, and those that are marked already. */
export interface RunIntake {
  /** Questions that wait for the AI. If 0, the submission is graded at once. */
  questionsForAi: number;
  /** Objective answers marked by their key; blank and omitted answers as not answered. */
  results: QuestionMarkedByKey[];
}

interface ExamRef {
  instituteId: string;
  examId: string;
}

const now = sql<Date>`clock_timestamp()`;

/** Rubric version of a run without AI: the exam's version, or null while the version is pending. */
const rubricVersionOf = ({ instituteId, examId }: ExamRef) => sql<number | null>`(
  select case when exists (select from pending_rubrics p where p.institute_id = ${instituteId} and p.exam_id = e.id)
    then null else e.rubric_version end
  from exams e where e.institute_id = ${instituteId} and e.id = ${examId})`;

/** Columns of a submission when a run starts; resets all columns that an earlier run set. */
export const stateAtStartOfRun = (
  run: NewRun,
  place: ExamRef & { pages: number | null },
  questionsForAi: number,
) => {
  const isOver = questionsForAi === 0;
  const beyondVision = (place.pages ?? 0) > MAX_VISION_PAGES;
  return {
    status: isOver ? ('graded' as const) : ('queued' as const),
    current_run_id: run.id,
    attempt_count: run.attempt,
    needs_review: beyondVision,
    review_reasons: beyondVision ? [PAGES_BEYOND_VISION_LIMIT] : [],
    rubric_version: isOver ? rubricVersionOf(place) : null,
    questions_total: questionsForAi,
    questions_done: 0,
    credits_charged: isOver ? '0' : null,
    graded_at: isOver ? now : null,
    error: null,
  };
};

/** Writes a run and the results that need no AI. The submission must be written before. */
export const insertRun = async (
  tx: Tx,
  started: ExamRef & {
    submissionId: string;
    run: NewRun;
    intake: RunIntake;
  },
): Promise<void> => {
  const { instituteId, submissionId, run, intake } = started;
  const isOver = intake.questionsForAi === 0;
  await write(
    tx,
    tx.insertInto('runs').values({
      id: run.id,
      institute_id: instituteId,
      submission_id: submissionId,
      lane: run.lane,
      attempt: run.attempt,
      status: isOver ? 'completed' : 'queued',
      price: String(run.price),
      traceparent: traceparentNow() ?? null,
      rubric_version: isOver ? rubricVersionOf(started) : null,
      finished_at: isOver ? now : null,
    }),
  );
  const { results } = intake;
  if (results.length === 0) return;
  // Lists are sent as arrays, so that the text of the statement is the same for each number of results.
  await write(
    tx,
    sql`
      insert into question_results (institute_id, run_id, question_id, status, awarded, max, source,
        review_reasons, extracted_answer, criteria, annotations)
      select ${instituteId}::uuid, ${run.id}::uuid, q.question_id, q.status::"QuestionResultStatus", q.awarded, q.max,
        case when q.status = 'graded' then 'auto'::"ResultSource" end, '{}'::text[], q.extracted_answer, '[]'::jsonb, '[]'::jsonb
      from unnest(${results.map(({ question_id }) => question_id)}::uuid[],
        ${results.map(({ status }) => status)}::text[], ${results.map(({ awarded }) => String(awarded))}::numeric[],
        ${results.map(({ max }) => String(max))}::numeric[],
        ${results.map(({ extracted_answer }) => extracted_answer)}::text[])
        as q (question_id, status, awarded, max, extracted_answer)`,
  );
};
