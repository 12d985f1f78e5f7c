import { sql, type RawBuilder } from 'kysely';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { findExam } from '../../command/locks/findExam.ts';
import { findQuestionOfExam } from '../queue/openAnswers.ts';
import { isOwnWork } from '../queue/ownShare.ts';
import type { Services } from '../../command/services.ts';

/*
 * The order in which an examiner goes through the copies of an exam: random, so that marks do not depend on the order
 * of submission, and stable, so that the examiner can stop and go on. A copy's place is a hash of exam, examiner and
 * copy, so each examiner has a different order.
 *
 * Places are computed for all copies of the exam on each call. Of 2,000 copies with 40 results each, EXPLAIN ANALYZE
 * showed 3 to 4 ms for a page of 2, of which 2 ms are for the places. With `open_only` the counting goes on until the
 * page is full: 150 ms and more if a teacher has decided on each result of all copies and approved none.
 */

export const OrderQuery = z.object({
  exam_id: z.string().max(100),
  /** If given, the items contain the result of this question only. */
  question_id: z.string().max(100).optional(),
  /** Submission to start after; with `backwards`, before. Absent: starts at the first or last copy. */
  after: z.uuid().optional(),
  backwards: z.boolean().default(false),
  /** Only copies, or results of the question, on which no teacher has decided. */
  open_only: z.boolean().default(false),
  /** Only copies, or results, that are the examiner's own work if work on the exam is shared out. */
  own_only: z.boolean().default(false),
  limit: z.int().gte(1).lte(200).default(50),
});
export type OrderQuery = z.infer<typeof OrderQuery>;

interface OrderedCopy {
  submission_id: string;
  /** Null on a blind exam. */
  candidate: { external_id: string; name: string | null; roll_number: string | null } | null;
  needs_review: boolean;
  finalized: boolean;
  approved: boolean;
  /** Results on which no teacher has decided: of the copy, or of the question. */
  open: number;
}

/** @throws DomainFailure exam_not_found, not_found (the question) */
export const copyOrder = async (
  services: Services,
  actor: StaffActor,
  query: OrderQuery,
): Promise<{ data: OrderedCopy[]; has_more: boolean }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const exam = await findExam(tx, actor, query.exam_id);
    if (query.question_id !== undefined) {
      await findQuestionOfExam(tx, actor, query.exam_id, query.question_id);
    }
    const seed = `${exam.id} ${actor.key_id} `;
    const isOfQuestion =
      query.question_id === undefined ? sql`true` : sql`r.question_id = ${query.question_id}::uuid`;
    const isWanted = (questionId: RawBuilder<unknown> | null) =>
      query.own_only ? isOwnWork(actor, questionId) : sql<boolean>`true`;
    const place = sql`md5(${seed}::text || s.id::text)`;
    const placeOfAfter = sql`md5(${seed}::text || ${query.after}::uuid::text)`;
    const isBeyond =
      query.after === undefined
        ? sql`true`
        : sql`${place} ${query.backwards ? sql`<` : sql`>`} ${placeOfAfter}`;
    const inOrder = query.backwards ? sql`desc` : sql`asc`;
    const most = query.limit + 1;
    // The copies are put in order first, so that results are counted for the copies of the page alone. With `open_only`
    // the count decides which copies these are, and counting ends when the page is full. A copy that is approved or
    // final has no open result, so it is left out before the count.
    const { rows } = await sql<Row>`
      select s.id as submission_id, c.external_id, c.name, c.roll_number, s.needs_review,
        s.finalized_at is not null as finalized, s.approved_at is not null as approved, o.open
      from (
        select s.id, s.institute_id, s.exam_id, s.candidate_id, s.current_run_id, s.needs_review,
          s.finalized_at, s.approved_at, ${place} as place
        from submissions s
        where s.institute_id = ${instituteId} and s.exam_id = ${exam.id} and s.state = 'live'
          and s.status in ('graded', 'partially_graded') and s.erased_at is null and ${isBeyond}
          and ${isWanted(query.question_id === undefined ? null : sql`${query.question_id}::uuid`)}
          and (${!query.open_only} or (s.approved_at is null and s.finalized_at is null))
        order by place ${inOrder}
        ${query.open_only ? sql`` : sql`limit ${most}`}
      ) s
      cross join lateral (
        select case when s.approved_at is null and s.finalized_at is null then count(*)::int else 0 end as open
        from question_results r
        where r.institute_id = s.institute_id and r.run_id = s.current_run_id and ${isOfQuestion}
          and ${isWanted(sql`r.question_id`)}
          and (r.source = 'ai' or r.status = 'failed' or r.needs_review)
          and not exists (select from reviews v
            where v.institute_id = s.institute_id and v.submission_id = s.id and v.question_id = r.question_id
              and v.application = 0)
      ) o
      join candidates c on c.institute_id = s.institute_id and c.id = s.candidate_id
      where ${!query.open_only} or o.open > 0
      order by s.place ${inOrder}
      limit ${most}`.execute(tx);
    return {
      data: rows.slice(0, query.limit).map(({ external_id, name, roll_number, ...row }) => ({
        ...row,
        candidate: exam.blind ? null : { external_id, name, roll_number },
      })),
      has_more: rows.length > query.limit,
    };
  });

type Row = Omit<OrderedCopy, 'candidate'> & NonNullable<OrderedCopy['candidate']>;
