import { AuditAction } from '@evaluation/database';
import { givenTime } from '@evaluation/rest-contract/schemas';
import { sql } from 'kysely';
import * as z from 'zod/v4';
import { isUuid } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';

const Position = z.object({ created_at: givenTime, id: z.string().regex(/^\d{1,18}$/) });

export const AuditQuery = z.object({
  limit: z.int().gte(1).lte(200).default(50),
  /** Id of a member of staff or of an API key: the one who acted. */
  person: z.string().max(100).optional(),
  exam_id: z.string().max(100).optional(),
  /** Acts on this submission, and those on its exam as a whole. */
  submission_id: z.string().max(100).optional(),
  action: z.enum(AuditAction).optional(),
  /** First moment, included. */
  from: givenTime.optional(),
  /** Last moment, excluded. */
  to: givenTime.optional(),
  before: Position.optional(),
});

/** An entry of the audit, with the person or key that acted. */
interface ShownAct {
  id: string;
  action: AuditAction;
  created_at: string;
  /** `team`: the internal team whose signing key named this person. */
  person: { kind: 'staff' | 'key' | 'operator'; id: string; name: string; team: string | null };
  exam: { id: string; title: string } | null;
  submission: { id: string; candidate: string | null } | null;
  question_label: string | null;
  /** The key or member of staff that was changed. */
  subject: { kind: 'staff' | 'key'; id: string; name: string } | null;
  /** As the caller of the API named the reviewer. */
  reviewer: string | null;
  reason: string | null;
  before: unknown;
  after: unknown;
}

interface Row extends Pick<ShownAct, 'id' | 'action' | 'reviewer' | 'reason' | 'before' | 'after'> {
  created_at: Date;
  key_id: string;
  staff_role: string | null;
  team: string | null;
  staff_name: string | null;
  last_four: string | null;
  exam_id: string | null;
  title: string | null;
  submission_id: string | null;
  candidate: string | null;
  label: string | null;
  subject_id: string | null;
  subject_name: string | null;
  subject_four: string | null;
}

/**
 * Pages of the institute's audit, newest first. Each of the filters `person`, `exam_id`, `submission_id` and the times
 * has an index; `action` alone reads all entries of its time until a page is full. An id of another institute matches
 * nothing, like a missing one.
 */
export const listAudit = async (
  { database }: Services,
  instituteId: string,
  query: z.output<typeof AuditQuery>,
): Promise<{ data: ShownAct[]; next_before: z.output<typeof Position> | null }> => {
  const { limit, person, exam_id: examId, submission_id: submissionId, action, from, to, before } = query;
  const ids = [person, examId, submissionId].filter((id) => id !== undefined);
  if (!ids.every(isUuid)) return { data: [], next_before: null };
  const ofSubmission = sql`(
    a.submission_id = ${submissionId ?? null}::uuid or (a.submission_id is null and a.exam_id = (
      select exam_id from submissions where institute_id = ${instituteId} and id = ${submissionId ?? null}::uuid)))`;
  const rows = await database.readInTenant<Row>(
    instituteId,
    sql<Row>`
      select a.id::text, a.action, a.created_at, a.key_id, a.staff_role, a.team, s.name as staff_name, k.last_four, a.exam_id,
        x.title, a.submission_id, coalesce(c.name, c.external_id) as candidate, q.label, a.subject_id,
        ss.name as subject_name, sk.last_four as subject_four, a.reviewer, a.reason, a.before, a.after
      from audit_entries a
      left join exams x on x.id = a.exam_id and x.institute_id = ${instituteId}
      left join submissions b on b.id = a.submission_id and b.institute_id = ${instituteId}
      left join candidates c on c.id = b.candidate_id and c.institute_id = ${instituteId}
      left join questions q on q.id = a.question_id and q.institute_id = ${instituteId}
      left join staff s on s.id = a.key_id and s.institute_id = ${instituteId}
      left join api_keys k on k.id = a.key_id and k.institute_id = ${instituteId}
      left join staff ss on ss.id = a.subject_id and ss.institute_id = ${instituteId}
      left join api_keys sk on sk.id = a.subject_id and sk.institute_id = ${instituteId}
      where a.institute_id = ${instituteId}
        and ${person === undefined ? sql`true` : sql`a.key_id = ${person}::uuid`}
        and ${examId === undefined ? sql`true` : sql`a.exam_id = ${examId}::uuid`}
        and ${submissionId === undefined ? sql`true` : ofSubmission}
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

const shown = (row: Row): ShownAct => ({
  id: row.id,
  action: row.action,
  created_at: row.created_at.toISOString(),
  person: personOf(row),
  exam: row.exam_id === null ? null : { id: row.exam_id, title: row.title ?? row.exam_id },
  submission: row.submission_id === null ? null : { id: row.submission_id, candidate: row.candidate },
  question_label: row.label,
  subject: subjectOf(row),
  reviewer: row.reviewer,
  reason: row.reason,
  before: row.before,
  after: row.after,
});

/** Staff of internal teams may have no account here; then the id stands for the name. */
const personOf = (row: Row): ShownAct['person'] => {
  const { key_id: id, staff_role: role, team } = row;
  if (role === null)
    return { kind: 'key', id, name: row.last_four === null ? id : `…${row.last_four}`, team };
  return { kind: role === 'operator' ? 'operator' : 'staff', id, name: row.staff_name ?? id, team };
};

const subjectOf = ({ subject_id: id, subject_name: name, subject_four: four }: Row): ShownAct['subject'] => {
  if (id === null) return null;
  return four === null ? { kind: 'staff', id, name: name ?? id } : { kind: 'key', id, name: `…${four}` };
};
