import { givenTime } from '@evaluation/rest-contract/schemas';
import { sql } from 'kysely';
import * as z from 'zod/v4';
import { isUuid } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';

const DECISIONS = [
  'override',
  'override_dropped',
  'approve',
  'finalize',
  'unfinalize',
  'guide_apply',
  'guide_undo',
] as const;

const Position = z.object({ created_at: givenTime, id: z.string().regex(/^\d{1,18}$/) });

export const DecisionQuery = z.object({
  limit: z.int().gte(1).lte(200).default(50),
  /** Id of a member of staff or of an API key. */
  person: z.string().max(100).optional(),
  exam_id: z.string().max(100).optional(),
  action: z.enum(DECISIONS).optional(),
  /** First moment, included. */
  from: givenTime.optional(),
  /** Last moment, excluded. */
  to: givenTime.optional(),
  before: Position.optional(),
});

/** A decision on marks, with the person who made it. */
interface DecisionShown {
  id: string;
  action: (typeof DECISIONS)[number];
  created_at: string;
  person: { kind: 'staff' | 'key' | 'operator'; id: string; name: string };
  exam: { id: string; title: string };
  submission_id: string;
  question_label: string | null;
  /** As the caller of the API named the reviewer. */
  reviewer: string | null;
  reason: string | null;
  before: unknown;
  after: unknown;
}

interface Row extends Omit<DecisionShown, 'created_at' | 'person' | 'exam' | 'question_label'> {
  created_at: Date;
  key_id: string;
  staff_role: string | null;
  staff_name: string | null;
  last_four: string | null;
  exam_id: string;
  title: string;
  label: string | null;
}

/**
 * Pages of the institute's decisions on marks, newest first. Each of the filters `person`, `exam_id` and the times has
 * an index; `action` alone reads all decisions of its time until a page is full. An id of another institute matches
 * nothing, like a missing one.
 */
export const listDecisions = async (
  { database }: Services,
  instituteId: string,
  query: z.output<typeof DecisionQuery>,
): Promise<{ data: DecisionShown[]; next_before: z.output<typeof Position> | null }> => {
  const { limit, person, exam_id: examId, action, from, to, before } = query;
  const ids = [person, examId].filter((id) => id !== undefined);
  if (!ids.every(isUuid)) return { data: [], next_before: null };
  const rows = await database.readInTenant<Row>(
    instituteId,
    sql<Row>`
      select a.id::text, a.action, a.created_at, a.key_id, a.staff_role, s.name as staff_name, k.last_four, a.exam_id,
        x.title, a.submission_id, q.label, a.reviewer, a.reason, a.before, a.after
      from audit_entries a
      join exams x on x.id = a.exam_id and x.institute_id = ${instituteId}
      left join questions q on q.id = a.question_id and q.institute_id = ${instituteId}
      left join staff s on s.id = a.key_id and s.institute_id = ${instituteId}
      left join api_keys k on k.id = a.key_id and k.institute_id = ${instituteId}
      where a.institute_id = ${instituteId}
        and ${person === undefined ? sql`true` : sql`a.key_id = ${person}::uuid`}
        and ${examId === undefined ? sql`true` : sql`a.exam_id = ${examId}::uuid`}
        and ${action === undefined ? sql`true` : sql`a.action = ${action}::"AuditAction"`}
        and ${from === undefined ? sql`true` : sql`a.created_at >= ${from}::timestamptz`}
        and ${to === undefined ? sql`true` : sql`a.created_at < ${to}::timestamptz`}
        and ${before === undefined ? sql`true` : sql`(a.created_at, a.id) < (${before.created_at}::timestamptz, ${before.id}::bigint)`}
      order by a.created_at desc, a.id desc
      limit ${limit + 1}`,
    { walksIndexes: true },
  );
  const data = rows.slice(0, limit).map(shown);
  const last = data.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { data, next_before: isMore ? { created_at: last.created_at, id: last.id } : null };
};

const shown = (row: Row): DecisionShown => ({
  id: row.id,
  action: row.action,
  created_at: row.created_at.toISOString(),
  person: personOf(row),
  exam: { id: row.exam_id, title: row.title },
  submission_id: row.submission_id,
  question_label: row.label,
  reviewer: row.reviewer,
  reason: row.reason,
  before: row.before,
  after: row.after,
});

/** Staff of internal teams may have no account here; then the id stands for the name. */
const personOf = (row: Row): DecisionShown['person'] => {
  const { key_id: id, staff_role: role } = row;
  if (role === null) return { kind: 'key', id, name: row.last_four === null ? id : `…${row.last_four}` };
  return { kind: role === 'operator' ? 'operator' : 'staff', id, name: row.staff_name ?? id };
};
