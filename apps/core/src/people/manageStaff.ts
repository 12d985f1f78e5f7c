import { sql } from 'kysely';
import { brokenConstraint, type Tx } from '@evaluation/database';
import { isUuid } from '../command/accept.ts';
import { failure } from '../command/failures.ts';
import { newId } from '../command/newId.ts';
import type { Role } from './roles.ts';
import type { Services } from '../command/services.ts';
import { noteStaffEvent } from './events.ts';
import { makeLink, type Link } from './links.ts';
import { memberOf, type StaffMember, type StaffRow } from './representation.ts';
import { endSessions } from './sessions.ts';

/*
 * Accounts of an institute, changed by its admins and by the operator. Each change locks the row of the institute
 * first. Otherwise two admins who demote each other at the same moment would leave the institute without an admin.
 */

/** Who changes an account: an admin of the institute, or the operator with `staff_id` null. */
export interface Manager {
  institute_id: string;
  staff_id: string | null;
}

const COLUMNS = sql`s.id, s.email, s.name, s.role, s.disabled_at, s.last_sign_in_at, s.created_at,
  (s.password_hash is not null or exists (select from staff_identities i where i.staff_id = s.id)) as has_joined`;

/** Pages of the institute's accounts, oldest first. */
export const listStaff = async (
  { database }: Services,
  instituteId: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ data: StaffMember[]; next_after: string | null }> => {
  const rows = await database.readInTenant<StaffRow>(
    instituteId,
    sql<StaffRow>`
      select ${COLUMNS} from staff s
      where s.institute_id = ${instituteId}
        and ${after === undefined ? sql`true` : sql`s.id > ${after}::uuid`}
      order by s.id limit ${limit + 1}`,
  );
  const data = rows.slice(0, limit).map(memberOf);
  return { data, next_after: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
};

/** Creates an account. @throws DomainFailure conflict if the e-mail address has one, also in another institute */
export const inviteStaff = (
  { database }: Services,
  manager: Manager,
  invited: { email: string; name: string; role: Role; password_hash?: string },
): Promise<{ staff: StaffMember; link: Link | null }> =>
  database.inTenant(manager.institute_id, async (tx) => {
    await lockInstitute(tx, manager.institute_id);
    const id = newId();
    try {
      await tx
        .insertInto('staff')
        .values({ id, institute_id: manager.institute_id, ...invited })
        .execute();
    } catch (error) {
      if (brokenConstraint(error) === 'staff_email_key') throw failure('staff_exists');
      throw error;
    }
    await note(tx, manager, id, 'invited', { role: invited.role });
    const link = invited.password_hash === undefined ? await makeLink(tx, id, 'invitation') : null;
    return { staff: memberOf(await readMember(tx, manager.institute_id, id)), link };
  });

/** @throws DomainFailure not_found, conflict for the last admin */
export const changeRole = (
  services: Services,
  manager: Manager,
  staffId: string,
  role: Role,
): Promise<StaffMember> =>
  change(services, manager, staffId, async (tx, member) => {
    if (member.role === role) return;
    if (role !== 'admin') await keepAnAdmin(tx, manager, member);
    await tx.updateTable('staff').set({ role }).where('id', '=', member.id).execute();
    await note(tx, manager, member.id, 'role_changed', { from: member.role, to: role });
  });

/** Disables an account and ends its sessions. @throws DomainFailure not_found, conflict for the last admin */
export const disableStaff = (services: Services, manager: Manager, staffId: string): Promise<StaffMember> =>
  change(services, manager, staffId, async (tx, member) => {
    if (member.disabled_at !== null) return;
    await keepAnAdmin(tx, manager, member);
    await tx.updateTable('staff').set({ disabled_at: new Date() }).where('id', '=', member.id).execute();
    await endSessions(tx, member.id);
    await note(tx, manager, member.id, 'disabled');
  });

/** Enables an account. Its earlier sessions stay ended. @throws DomainFailure not_found */
export const enableStaff = (services: Services, manager: Manager, staffId: string): Promise<StaffMember> =>
  change(services, manager, staffId, async (tx, member) => {
    if (member.disabled_at === null) return;
    // A sign-in at the moment of the disabling may have started a session.
    await endSessions(tx, member.id);
    await tx.updateTable('staff').set({ disabled_at: null }).where('id', '=', member.id).execute();
    await note(tx, manager, member.id, 'enabled');
  });

/**
 * Makes a link by which the person sets a new password; for a person who has not joined, a new invitation. The present
 * password and sessions stay valid until the link is used. @throws DomainFailure not_found, conflict
 */
export const resetPassword = async (
  { database }: Services,
  manager: Manager,
  staffId: string,
): Promise<Link> =>
  database.inTenant(manager.institute_id, async (tx) => {
    await lockInstitute(tx, manager.institute_id);
    const member = await readMember(tx, manager.institute_id, staffId);
    if (member.disabled_at !== null) throw failure('staff_disabled');
    await note(tx, manager, member.id, 'reset_link_made');
    return makeLink(tx, member.id, member.has_joined ? 'password_reset' : 'invitation');
  });

/** Finds an account of the institute. @throws DomainFailure not_found */
export const requireStaff = async (
  { database }: Services,
  instituteId: string,
  staffId: string,
): Promise<void> => {
  await database.inTenant(instituteId, (tx) => readMember(tx, instituteId, staffId));
};

/** Ends a session of a person of the institute. @throws DomainFailure not_found */
export const endSession = (
  { database }: Services,
  manager: Manager,
  { staff_id: staffId, session_id: sessionId }: { staff_id: string; session_id: string },
): Promise<void> =>
  database.inTenant(manager.institute_id, async (tx) => {
    const member = await readMember(tx, manager.institute_id, staffId);
    const ended = isUuid(sessionId)
      ? await tx
          .updateTable('staff_sessions')
          .set({ ended_at: new Date() })
          .where('id', '=', sessionId)
          .where('staff_id', '=', member.id)
          .where('ended_at', 'is', null)
          .executeTakeFirst()
      : null;
    if (ended === null || ended.numUpdatedRows === 0n) throw failure('no_such_session');
    if (manager.staff_id !== member.id) await note(tx, manager, member.id, 'session_ended');
  });

const change = (
  { database }: Services,
  manager: Manager,
  staffId: string,
  work: (tx: Tx, member: StaffRow) => Promise<void>,
): Promise<StaffMember> =>
  database.inTenant(manager.institute_id, async (tx) => {
    await lockInstitute(tx, manager.institute_id);
    await work(tx, await readMember(tx, manager.institute_id, staffId));
    return memberOf(await readMember(tx, manager.institute_id, staffId));
  });

const lockInstitute = async (tx: Tx, instituteId: string): Promise<void> => {
  const institute = await tx
    .selectFrom('institutes')
    .select('id')
    .where('id', '=', instituteId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (institute === undefined) throw failure('no_such_institute');
};

const readMember = async (tx: Tx, instituteId: string, staffId: string): Promise<StaffRow> => {
  if (!isUuid(staffId)) throw failure('no_such_staff');
  const { rows } = await sql<StaffRow>`
    select ${COLUMNS} from staff s where s.institute_id = ${instituteId} and s.id = ${staffId}::uuid`.execute(
    tx,
  );
  const [row] = rows;
  if (row === undefined) throw failure('no_such_staff');
  return row;
};

/** The operator may disable or demote the last admin, to stop a stolen account. */
const keepAnAdmin = async (tx: Tx, manager: Manager, member: StaffRow): Promise<void> => {
  if (manager.staff_id === null || member.role !== 'admin' || member.disabled_at !== null) return;
  const { rows } = await sql<{ id: string }>`
    select s.id from staff s
    where s.institute_id = ${manager.institute_id} and s.role = 'admin' and s.disabled_at is null
      and s.id <> ${member.id}::uuid
      and (s.password_hash is not null or exists (select from staff_identities i where i.staff_id = s.id))
    limit 1`.execute(tx);
  if (rows.length === 0) throw failure('last_admin');
};

const note = (
  tx: Tx,
  manager: Manager,
  staffId: string,
  event: Parameters<typeof noteStaffEvent>[1]['event'],
  details: Record<string, string> = {},
): Promise<void> =>
  noteStaffEvent(tx, {
    institute_id: manager.institute_id,
    staff_id: staffId,
    actor_id: manager.staff_id,
    event,
    details,
  });
