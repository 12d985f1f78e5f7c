import type { ControlTx } from '@evaluation/database';

type StaffEventKind =
  | 'invited'
  | 'joined'
  | 'role_changed'
  | 'disabled'
  | 'enabled'
  | 'reset_link_made'
  | 'password_changed'
  | 'session_ended';

/** Records a change of an account, in the transaction of the change. Rows are never changed or deleted. */
export const noteStaffEvent = async (
  tx: ControlTx,
  {
    details = {},
    ...event
  }: {
    institute_id: string;
    staff_id: string;
    /** Null for the operator's CLI. */
    actor_id: string | null;
    event: StaffEventKind;
    details?: Record<string, string>;
  },
): Promise<void> => {
  await tx.staff_events.create({ data: { ...event, details } });
};
