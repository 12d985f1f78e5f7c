import { sql } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import type { RunLane } from '@evaluation/jobs-contract';
import {
  Annotation,
  CriterionResult,
  GradingError,
  Rubric,
  type Submission,
} from '@evaluation/rest-contract/schemas';
import type { GradingStep } from '@evaluation/rules';
import { Ink } from '@evaluation/rules/marked-page';
import * as z from 'zod/v4';
import { Candidate, DecidedQuestion, OverrideInForce } from '../../exams/paper/markedMaterial.ts';
import { CurrentPaper, currentPaper } from '../../exams/paper/paper.ts';
import type { RunKey } from '../../command/runKey.ts';
import { isDayUsedUp } from '../../files/exhaustedTime.ts';

/* The two statements of a claim: one locks, the other claims and reads all material of the run. */

type SubmissionStatus = Submission['status'];

export interface RunToBeClaimed {
  id: string;
  exam_id: string;
  candidate_id: string;
  status: SubmissionStatus;
  lane: RunLane;
  pages: number | null;
  sealed_key: string | null;
  run_status: string;
  /** The run has the paper of an earlier claim. */
  is_pinned: boolean;
  /** A run of the submission completed before. */
  was_graded: boolean;
  /** Rubrics of the exam are still to be saved. */
  has_pending_rubrics: boolean;
  /** The institute's files may not be opened today (exhaustedTime.ts). False for typed answers. */
  is_day_used_up: boolean;
}

/** Locks the submission, then the run. @returns undefined if there is no such run */
export const lockForClaim = async (tx: Tx, job: RunKey): Promise<RunToBeClaimed | undefined> => {
  const [[locked]] = await send(
    tx,
    sql<RunToBeClaimed>`
    select s.id, s.exam_id, s.candidate_id, s.status, s.lane, s.pages, u.sealed_key, r.status as run_status,
      r.paper is not null as is_pinned,
      exists (select from runs c where c.institute_id = s.institute_id and c.submission_id = s.id
        and c.status = 'completed') as was_graded,
      exists (select from pending_rubrics p where p.institute_id = s.institute_id and p.exam_id = s.exam_id)
        as has_pending_rubrics,
      u.id is not null and ${isDayUsedUp(sql`s.institute_id`)} as is_day_used_up
    from runs r
    join submissions s on s.institute_id = r.institute_id and s.id = r.submission_id
    left join uploads u on u.institute_id = s.institute_id and u.id = s.upload_id
    where r.institute_id = ${job.institute_id} and r.id = ${job.run_id}
    for update of s for no key update of r`,
  );
  return locked;
};

const Read = z.object({
  attempt: z.int(),
  fence: z.int(),
  deadline_at: z.date(),
  traceparent: z.string().nullable(),
  alignment: z.unknown(),
  marked_examples: z.unknown(),
  grader: z.unknown(),
  usage: z.unknown(),
  paper: CurrentPaper.omit({ rubric_version: true }),
  rubrics: z.array(z.object({ question_id: z.uuid(), rubric: Rubric })),
  candidate: Candidate,
  answers: z.array(z.object({ question_id: z.uuid(), text: z.string() })),
  page_readings: z.array(z.object({ first_page: z.int(), pages: z.unknown() })),
  results: z.array(
    DecidedQuestion.extend({
      criteria: z.array(CriterionResult),
      annotations: z.array(Annotation),
      error: GradingError.nullable(),
    }),
  ),
  overrides: z.array(OverrideInForce),
  ink: z.array(Ink),
});
export type ClaimedMaterial = z.infer<typeof Read>;

interface NewLease {
  worker: string;
  /** SHA-256 of the token. */
  sha256: string;
  leaseSeconds: number;
  deadlineSeconds: number;
  /** The settings keep evidence: the run is marked before its worker records any. */
  keepsEvidence: boolean;
  /** Status that the submission moves to; null if it does not move. */
  step: GradingStep | null;
}

/** Claims the locked run; the first claim pins the paper. Reads the material in the same statement. */
export const claimLocked = (job: RunKey, submission: RunToBeClaimed, lease: NewLease) => {
  const { institute_id, run_id } = job;
  return sql<Record<string, unknown>>`
    with ${submission.is_pinned ? sql`` : sql`pinned as materialized (${currentPaper(institute_id, submission.exam_id)}),`}
    claimed as (
      update runs r set
        status = 'claimed',
        fence = r.fence + 1,
        claim_token_sha256 = ${lease.sha256},
        worker = ${lease.worker},
        lease_until = clock_timestamp() + make_interval(secs => ${lease.leaseSeconds}),
        claimed_at = coalesce(r.claimed_at, clock_timestamp()),
        deadline_at = coalesce(r.deadline_at, clock_timestamp() + make_interval(secs => ${lease.deadlineSeconds})),
        ${submission.is_pinned ? sql`` : sql`paper = pinned.paper, rubric_version = pinned.rubric_version,`}
        evidence_since = case when ${lease.keepsEvidence}::boolean
          then coalesce(r.evidence_since, clock_timestamp()) else r.evidence_since end
      ${submission.is_pinned ? sql`` : sql`from pinned`}
      where r.institute_id = ${institute_id} and r.id = ${run_id} and r.status = 'released'
      returning r.attempt, r.fence, r.deadline_at, r.traceparent, r.alignment, r.marked_examples, r.grader, r.usage, r.paper,
        r.rubric_version),
    begun as (
      update submissions s set status = ${lease.step}::"SubmissionStatus", rubric_version = claimed.rubric_version
      from claimed
      where s.institute_id = ${institute_id} and s.id = ${submission.id} and ${lease.step}::text is not null)
    select claimed.*,
      (select coalesce(json_agg(json_build_object('question_id', m.question_id, 'rubric', m.rubric)), '[]')
        from run_rubrics m where m.institute_id = ${institute_id} and m.run_id = ${run_id}) as rubrics,
      (select json_build_object('external_id', c.external_id, 'name', case when not e.blind then c.name end,
          'roll_number', c.roll_number)
        from candidates c
        join exams e on e.institute_id = ${institute_id} and e.id = ${submission.exam_id}
        where c.institute_id = ${institute_id} and c.id = ${submission.candidate_id}) as candidate,
      (select coalesce(json_agg(json_build_object('question_id', a.question_id, 'text', a.text)), '[]')
        from answers a
        where a.institute_id = ${institute_id} and a.submission_id = ${submission.id} and a.text is not null
          and not exists (select from question_results q where q.institute_id = ${institute_id}
            and q.run_id = ${run_id} and q.question_id = a.question_id)) as answers,
      (select coalesce(json_agg(json_build_object('first_page', p.first_page, 'pages', p.pages) order by p.first_page),
          '[]')
        from page_readings p where p.institute_id = ${institute_id} and p.run_id = ${run_id}) as page_readings,
      (select coalesce(json_agg(json_build_object('question_id', q.question_id, 'status', q.status,
          'awarded', q.awarded::float8, 'feedback', q.feedback, 'needs_review', q.needs_review,
          'criteria', q.criteria, 'annotations', q.annotations, 'error', q.error)), '[]')
        from question_results q where q.institute_id = ${institute_id} and q.run_id = ${run_id}) as results,
      (select coalesce(json_agg(json_build_object('question_id', v.question_id, 'awarded', v.awarded::float8,
          'reason', v.reason, 'criteria', v.criteria, 'feedback', v.feedback)), '[]')
        from reviews v where v.institute_id = ${institute_id} and v.submission_id = ${submission.id}
          and v.application = 0) as overrides,
      (select coalesce(json_agg(k.ink order by k.drawn_at, k.id), '[]')
        from marking_ink k where k.institute_id = ${institute_id} and k.submission_id = ${submission.id}
          and k.ink is not null) as ink
    from claimed`;
};

/** @param rows of `claimLocked` */
export const materialRead = ([row]: Record<string, unknown>[]): ClaimedMaterial => Read.parse(row);
