import { sql } from 'kysely';
import type { GradingStep } from '@evaluation/rules';
import * as z from 'zod/v4';
import type { StoredPart } from '../evidence/storeEvidence.ts';
import { leaseFromNow, type HeldRun } from '../../command/locks/heldRun.ts';
import { shownFailure } from '@evaluation/rest-contract/grading-failures';
import type { RecordedQuestion } from './recordedBatch.ts';
import type { MadeQuestion } from './resultsOfRun.ts';
import type { UsedByRun } from './usedByRun.ts';

/** Records to write, under the lock of their run. `evidence` is null where none is kept. */
interface Records {
  submissionId: string;
  step: GradingStep | null;
  pages: readonly { first_page: number; pages: unknown; evidence: StoredPart | null }[];
  /** Null also if the run has an alignment. */
  alignment: { alignment: unknown; evidence: StoredPart | null } | null;
  questions: readonly { result: RecordedQuestion; max: number; evidence: StoredPart | null }[];
  used: UsedByRun | null;
  /** True if judgements of the run are cached. They are removed together with its evidence. */
  keepsJudgements: boolean;
  leaseSeconds: number;
  /** Completion follows in the same transaction: the run and the submission are changed there. */
  isCompleting: boolean;
}

export interface Written {
  /** Number of questions and of parts of evidence that were not recorded before. */
  questions: number;
  linked: number;
  /** The run has evidence or cached judgements to remove later. */
  hasEvidence: boolean;
  /** All results of the run, with overrides; null unless completing. */
  decided: MadeQuestion[] | null;
}

const Decided = z
  .array(
    z.object({
      question_id: z.uuid(),
      status: z.string(),
      source: z.enum(['ai', 'auto']).nullable(),
      needs_review: z.boolean(),
      error: z.unknown(),
      override: z.boolean(),
    }),
  )
  .nullable();

/**
 * Inserts records in one statement. A record that exists stays, with its evidence. Lists are sent as arrays, so that
 * the text of the statement, and with it its plan, is the same for each number of records.
 */
export const recordsStatement = ({ institute_id, run_id }: HeldRun, records: Records) => {
  const { pages, alignment, questions, used, isCompleting } = records;
  const column = <T>(read: (result: RecordedQuestion) => T): T[] =>
    questions.map(({ result }) => read(result));
  const parts = evidenceOf(records);
  const hasEvidence = leavesEvidence(records);
  // An alignment is stored in any case; everything else that changes on the run is changed by its completion.
  const changesRun = !isCompleting || alignment !== null;
  return sql<{ questions: number; linked: number; decided: unknown }>`
    with results as (
      insert into question_results (institute_id, run_id, question_id, status, awarded, max, source, confidence,
        needs_review, review_reasons, extracted_answer, feedback, criteria, annotations, error)
      select ${institute_id}::uuid, ${run_id}::uuid, q.question_id, q.status::"QuestionResultStatus", q.awarded, q.max,
        case when q.status = 'graded' then 'ai'::"ResultSource" end, q.confidence, q.needs_review,
        array(select jsonb_array_elements_text(q.review_reasons::jsonb)), q.extracted_answer, q.feedback,
        q.criteria::jsonb, q.annotations::jsonb, q.error::jsonb
      from unnest(${column((q) => q.question_id)}::uuid[], ${column((q) => q.status)}::text[],
        ${column((q) => decimal(q.awarded))}::numeric[], ${questions.map(({ max }) => String(max))}::numeric[],
        ${column((q) => decimal(q.confidence))}::numeric[], ${column((q) => q.needs_review)}::boolean[],
        ${column((q) => JSON.stringify(q.review_reasons))}::text[], ${column((q) => q.extracted_answer)}::text[],
        ${column((q) => q.feedback)}::text[], ${column((q) => JSON.stringify(q.criteria))}::text[],
        ${column((q) => JSON.stringify(q.annotations))}::text[], ${column(errorOf)}::text[])
        as q (question_id, status, awarded, max, confidence, needs_review, review_reasons, extracted_answer, feedback,
          criteria, annotations, error)
      on conflict (run_id, question_id) do nothing
      returning question_id, status, source, needs_review, error),
    readings as (
      insert into page_readings (institute_id, run_id, first_page, pages)
      select ${institute_id}::uuid, ${run_id}::uuid, p.first_page, p.pages::jsonb
      from unnest(${pages.map(({ first_page }) => first_page)}::int[],
        ${pages.map((batch) => JSON.stringify(batch.pages))}::text[]) as p (first_page, pages)
      on conflict (run_id, first_page) do nothing
      returning first_page),
    run as (
      update runs set
        lease_until = ${leaseFromNow(records.leaseSeconds)},
        alignment = coalesce(alignment, ${alignment === null ? null : JSON.stringify(alignment.alignment)}::jsonb),
        ${setUsed(used)},
        evidence_since = case when ${hasEvidence}::boolean
          then coalesce(evidence_since, clock_timestamp()) else evidence_since end
      where institute_id = ${institute_id} and id = ${run_id} and ${changesRun}::boolean),
    linked as (
      insert into evidence_parts (institute_id, run_id, kind, ref, sha256, size_bytes, pack, pack_offset)
      select ${institute_id}::uuid, ${run_id}::uuid, e.kind::"EvidenceKind", e.ref, e.sha256, e.size_bytes, e.pack,
        e.pack_offset
      from unnest(${parts.map(({ kind }) => kind)}::text[], ${parts.map(({ ref }) => ref)}::text[],
        ${parts.map(({ part }) => part.sha256)}::text[], ${parts.map(({ part }) => part.sizeBytes)}::int[],
        ${parts.map(({ part }) => part.pack)}::uuid[], ${parts.map(({ part }) => part.offset)}::int[])
        as e (kind, ref, sha256, size_bytes, pack, pack_offset)
      where e.kind = 'alignment'
        or (e.kind = 'pages' and e.ref in (select first_page::text from readings))
        or (e.kind = 'question' and e.ref in (select question_id::text from results))
      returning ref),
    submission as (
      update submissions set
        questions_done = questions_done + (select count(*)::int from results),
        status = coalesce(${records.step}::"SubmissionStatus", status)
      where institute_id = ${institute_id} and id = ${records.submissionId} and not ${isCompleting}::boolean
        and (${records.step}::text is not null or exists (select from results)))
    select (select count(*)::int from results) as questions, (select count(*)::int from linked) as linked,
      case when ${isCompleting}::boolean then (
        select coalesce(json_agg(json_build_object('question_id', q.question_id, 'status', q.status,
          'source', q.source, 'needs_review', q.needs_review, 'error', q.error,
          'override', v.question_id is not null)), '[]')
        from (
          select question_id, status, source, needs_review, error from question_results
          where institute_id = ${institute_id} and run_id = ${run_id}
          union all
          select question_id, status, source, needs_review, error from results) q
        left join reviews v on v.institute_id = ${institute_id} and v.submission_id = ${records.submissionId}
          and v.question_id = q.question_id and v.application = 0) end as decided`;
};

/** @param rows of `recordsStatement` */
export const writtenOf = (
  [row]: { questions: number; linked: number; decided: unknown }[],
  { run_id }: HeldRun,
  records: Records,
): Written => {
  if (row === undefined) throw new Error(`run ${run_id}: the records were not written`);
  return {
    questions: row.questions,
    linked: row.linked,
    hasEvidence: leavesEvidence(records),
    decided: Decided.parse(row.decided),
  };
};

const leavesEvidence = (records: Records): boolean =>
  records.keepsJudgements || evidenceOf(records).length > 0;

const decimal = (value: number | null): string | null => (value === null ? null : String(value));

const errorOf = ({ status, error }: RecordedQuestion): string | null =>
  status === 'failed' ? JSON.stringify(shownFailure(error?.reason ?? '', 'question_not_graded')) : null;

/** Assignments that store the token usage. If two records arrive out of order, the larger sum stays. */
const setUsed = (used: UsedByRun | null) => {
  const isLarger = sql`(${used !== null}::boolean and (usage is null
    or ((usage->>'calls')::numeric <= ${used?.usage.calls ?? 0}::numeric
      and (usage->>'duration_ms')::numeric <= ${used?.usage.duration_ms ?? 0}::numeric)))`;
  return sql`
    grader = case when ${isLarger} then ${used === null ? null : JSON.stringify(used.grader)}::jsonb else grader end,
    usage = case when ${isLarger} then ${used === null ? null : JSON.stringify(used.usage)}::jsonb else usage end`;
};

const evidenceOf = ({ pages, alignment, questions }: Records) => {
  const all = [
    ...pages.map(({ first_page, evidence }) => ({ kind: 'pages', ref: String(first_page), part: evidence })),
    ...(alignment === null ? [] : [{ kind: 'alignment', ref: '', part: alignment.evidence }]),
    ...questions.map(({ result, evidence }) => ({
      kind: 'question',
      ref: result.question_id,
      part: evidence,
    })),
  ];
  return all.flatMap(({ part, ...record }) => (part === null ? [] : [{ ...record, part }]));
};
