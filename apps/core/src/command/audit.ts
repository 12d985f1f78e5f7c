import { sql } from 'kysely';
import { write, type AuditAction, type ControlTx, type Tx } from '@evaluation/database';
import { staffActor, type Actor } from '@evaluation/platform/signed-actor';

/** The operator has no account: the audit shows this id with the role `operator`. */
const OPERATOR_ID = '00000000-0000-0000-0000-000000000000';

/** The operator, for an act on an institute by the admin CLI. */
export const operatorActor = (instituteId: string): Actor =>
  staffActor({
    institute_id: instituteId,
    staff_id: OPERATOR_ID,
    role: 'operator',
    scopes: ['evaluation:review'],
  });

export const isOperator = ({ key_id }: Actor): boolean => key_id === OPERATOR_ID;

/** The reviewer of a decision: for a member of staff the account's id, and else what the caller names. */
export const reviewerOf = <Given extends string | null>(actor: Actor, given: Given): Given | string =>
  actor.staff === undefined ? given : actor.key_id;

/** An act of a person or of an API key. It holds no answer of a candidate, no secret and no e-mail address. */
interface Act {
  action: AuditAction;
  exam_id?: string;
  submission_id?: string;
  question_id?: string;
  /** API key or member of staff that the act changed. */
  subject_id?: string;
  reviewer?: string | null;
  reason?: string | null;
  /** Marks and flags of a decision; else the changed fields. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/**
 * Appends entries to the audit in the transaction of the act; a trigger refuses later changes. The entries are one JSON
 * parameter, because those of a large exam could exceed the 65,535 parameters of a statement.
 */
export const audit = async (tx: Tx, actor: Actor, acts: readonly Act[]): Promise<void> => {
  if (acts.length === 0) return;
  await write(
    tx,
    sql`
      insert into audit_entries (institute_id, key_id, staff_role, team, action, exam_id, submission_id, question_id,
        subject_id, reviewer, reason, before, after)
      select ${actor.institute_id}::uuid, ${actor.key_id}::uuid, ${actor.staff?.role ?? null}::text,
        ${actor.team ?? null}::text, a.action, a.exam_id, a.submission_id, a.question_id, a.subject_id, a.reviewer,
        a.reason, coalesce(a.before, '{}'), coalesce(a.after, '{}')
      from json_to_recordset(${JSON.stringify(acts)}::json) as a (
        action "AuditAction", exam_id uuid, submission_id uuid, question_id uuid, subject_id uuid, reviewer text,
        reason text, before jsonb, after jsonb)`,
  );
};

/** Appends an entry on an account, in a transaction of the control plane. */
export const auditAccount = async (
  tx: ControlTx,
  actor: Pick<Actor, 'institute_id' | 'key_id' | 'staff'>,
  act: { action: Act['action']; subject_id: string; after?: Record<string, string> },
): Promise<void> => {
  await tx.$queryRaw`select set_config('app.institute', ${actor.institute_id}, true)`;
  await tx.audit_entries.create({
    data: {
      institute_id: actor.institute_id,
      key_id: actor.key_id,
      staff_role: actor.staff?.role ?? null,
      ...act,
      before: {},
      after: act.after ?? {},
    },
  });
};

/** Appends an entry on what a person did to the own account. */
export const auditOwnAct = (
  tx: ControlTx,
  staff: { id: string; institute_id: string; role: string },
  action: Act['action'],
  after: Record<string, string> = {},
): Promise<void> =>
  auditAccount(
    tx,
    { institute_id: staff.institute_id, key_id: staff.id, staff: { role: staff.role } },
    { action, subject_id: staff.id, after },
  );

/** Longer values are described by their length: the audit says what was changed, and is no second store of texts. */
const MOST_CHARACTERS = 200;

const shortened = (value: unknown): unknown => {
  const text = JSON.stringify(value ?? null);
  return text.length <= MOST_CHARACTERS ? (value ?? null) : `(${text.length} characters)`;
};

/** The fields of `after` that differ from `before`, for an entry. */
export const changesBetween = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown>; after: Record<string, unknown> } => {
  const changed = Object.keys(after).filter(
    (field) => JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
  );
  const valuesIn = (from: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((field) => [field, shortened(from[field])]));
  return { before: valuesIn(before), after: valuesIn(after) };
};
