import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/signed-actor';

/** One human decision: who, with which key, when, before, after, why. `before` and `after` hold marks and flags. */
export interface Decision {
  action: 'override' | 'override_dropped' | 'approve' | 'finalize' | 'unfinalize';
  exam_id: string;
  submission_id: string;
  question_id?: string;
  reviewer: string | null;
  reason: string | null;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/**
 * Written in the decision's own transaction, and never changed (a trigger refuses it). As one parameter, however many they
 * are: a statement has room for 65,535, and an exam that is finalized may have more results.
 */
export const audit = async (tx: Tx, actor: Actor, decisions: readonly Decision[]): Promise<void> => {
  if (decisions.length === 0) return;
  await sql`
    insert into audit_entries
      (institute_id, key_id, action, exam_id, submission_id, question_id, reviewer, reason, before, after)
    select ${actor.institute_id}::uuid, ${actor.key_id}::uuid, d.action, d.exam_id, d.submission_id, d.question_id,
      d.reviewer, d.reason, d.before, d.after
    from json_to_recordset(${JSON.stringify(decisions)}::json) as d (
      action "AuditAction", exam_id uuid, submission_id uuid, question_id uuid, reviewer text, reason text,
      before jsonb, after jsonb)`.execute(tx);
};
