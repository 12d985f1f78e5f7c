import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';

/** The reviewer of a decision: for a member of staff the account's id, and else what the caller names. */
export const reviewerOf = <Given extends string | null>(actor: Actor, given: Given): Given | string =>
  actor.staff === undefined ? given : actor.key_id;

/** Audit entry of a human decision. `before` and `after` hold marks and flags. */
interface Decision {
  action:
    | 'override'
    | 'override_dropped'
    | 'approve'
    | 'finalize'
    | 'unfinalize'
    | 'guide_apply'
    | 'guide_undo';
  exam_id: string;
  submission_id: string;
  question_id?: string;
  reviewer: string | null;
  reason: string | null;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/**
 * Appends entries to the audit; a trigger refuses later changes. The entries are one JSON parameter, because those of a
 * large exam could exceed the 65,535 parameters of a statement.
 */
export const audit = async (tx: Tx, actor: Actor, decisions: readonly Decision[]): Promise<void> => {
  if (decisions.length === 0) return;
  await sql`
    insert into audit_entries
      (institute_id, key_id, staff_role, action, exam_id, submission_id, question_id, reviewer, reason, before, after)
    select ${actor.institute_id}::uuid, ${actor.key_id}::uuid, ${actor.staff?.role ?? null}::text, d.action, d.exam_id, d.submission_id, d.question_id,
      d.reviewer, d.reason, d.before, d.after
    from json_to_recordset(${JSON.stringify(decisions)}::json) as d (
      action "AuditAction", exam_id uuid, submission_id uuid, question_id uuid, reviewer text, reason text,
      before jsonb, after jsonb)`.execute(tx);
};
