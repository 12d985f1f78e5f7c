import { isTaken, type AuditAction, type ControlTx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../command/accept.ts';
import { auditAccount, operatorActor } from '../command/audit.ts';
import { failure } from '../command/failures.ts';
import { newId } from '../command/newId.ts';
import type { Role } from './roles.ts';
import type { Services } from '../command/services.ts';
import { makeLink, type Link } from './links.ts';
import { hasJoined, MEMBER, memberOf, type StaffMember, type StaffRow } from './representation.ts';
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

/** Pages of the institute's accounts, oldest first. */
export const listStaff = async (
  { database }: Services,
  instituteId: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ data: StaffMember[]; next_after: string | null }> => {
  const rows = await database.control.staff.findMany({
    select: MEMBER,
    where: { institute_id: instituteId, ...(after === undefined ? {} : { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: limit + 1,
  });
  const data = rows.slice(0, limit).map(memberOf);
  return { data, next_after: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
};

/** New accounts of an institute in 24 hours that its admins may make. */
const MOST_INVITED_A_DAY = 500;

/**
 * Creates an account. Whether another institute has one of the same address changes nothing.
 * @throws DomainFailure conflict if the institute has an account of this address; rate_limited
 */
export const inviteStaff = (
  { database }: Services,
  manager: Manager,
  invited: { email: string; name: string; role: Role; password_hash?: string },
): Promise<{ staff: StaffMember; link: Link | null }> =>
  database.control.$transaction(async (tx) => {
    await lockInstitute(tx, manager.institute_id);
    const invitedToday = await tx.staff.count({
      where: { institute_id: manager.institute_id, created_at: { gt: new Date(Date.now() - 86_400_000) } },
    });
    if (manager.staff_id !== null && invitedToday >= MOST_INVITED_A_DAY)
      throw new DomainFailure('rate_limited');
    const id = newId();
    try {
      await tx.staff.create({ data: { id, institute_id: manager.institute_id, ...invited } });
    } catch (error) {
      if (isTaken(error)) throw failure('staff_exists');
      throw error;
    }
    await note(tx, manager, id, 'staff_invite', { role: invited.role });
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
    await tx.staff.update({ where: { id: member.id }, data: { role } });
    await note(tx, manager, member.id, 'staff_role', { from: member.role, to: role });
  });

/** Disables an account and ends its sessions. @throws DomainFailure not_found, conflict for the last admin */
export const disableStaff = (services: Services, manager: Manager, staffId: string): Promise<StaffMember> =>
  change(services, manager, staffId, async (tx, member) => {
    if (member.disabled_at !== null) return;
    await keepAnAdmin(tx, manager, member);
    await tx.staff.update({ where: { id: member.id }, data: { disabled_at: new Date() } });
    await endSessions(tx, member.id);
    await note(tx, manager, member.id, 'staff_disable');
  });

/** Enables an account. Its earlier sessions stay ended. @throws DomainFailure not_found */
export const enableStaff = (services: Services, manager: Manager, staffId: string): Promise<StaffMember> =>
  change(services, manager, staffId, async (tx, member) => {
    if (member.disabled_at === null) return;
    // A sign-in at the moment of the disabling may have started a session.
    await endSessions(tx, member.id);
    await tx.staff.update({ where: { id: member.id }, data: { disabled_at: null } });
    await note(tx, manager, member.id, 'staff_enable');
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
  database.control.$transaction(async (tx) => {
    await lockInstitute(tx, manager.institute_id);
    const member = await readMember(tx, manager.institute_id, staffId);
    // A session that was left open would become the account: a change of one's own password asks for the present one.
    if (member.id === manager.staff_id) throw failure('own_reset');
    if (member.disabled_at !== null) throw failure('staff_disabled');
    await note(tx, manager, member.id, 'staff_reset_link');
    return makeLink(tx, member.id, hasJoined(member) ? 'password_reset' : 'invitation');
  });

/** Finds an account of the institute. @throws DomainFailure not_found */
export const requireStaff = async (
  { database }: Services,
  instituteId: string,
  staffId: string,
): Promise<void> => {
  await readMember(database.control, instituteId, staffId);
};

/** Ends a session of a person of the institute. @throws DomainFailure not_found */
export const endSession = (
  { database }: Services,
  manager: Manager,
  { staff_id: staffId, session_id: sessionId }: { staff_id: string; session_id: string },
): Promise<void> =>
  database.control.$transaction(async (tx) => {
    const member = await readMember(tx, manager.institute_id, staffId);
    if (!isUuid(sessionId)) throw failure('no_such_session');
    const ended = await tx.staff_sessions.updateMany({
      where: { id: sessionId, staff_id: member.id, ended_at: null },
      data: { ended_at: new Date() },
    });
    if (ended.count === 0) throw failure('no_such_session');
    if (manager.staff_id !== member.id) await note(tx, manager, member.id, 'staff_session_end');
  });

const change = (
  { database }: Services,
  manager: Manager,
  staffId: string,
  work: (tx: ControlTx, member: StaffRow) => Promise<void>,
): Promise<StaffMember> =>
  database.control.$transaction(async (tx) => {
    await lockInstitute(tx, manager.institute_id);
    await work(tx, await readMember(tx, manager.institute_id, staffId));
    return memberOf(await readMember(tx, manager.institute_id, staffId));
  });

const lockInstitute = async (tx: ControlTx, instituteId: string): Promise<void> => {
  const locked = await tx.$queryRaw<unknown[]>`
    select id from institutes where id = ${instituteId}::uuid for no key update`;
  if (locked.length === 0) throw failure('no_such_institute');
};

const readMember = async (tx: ControlTx, instituteId: string, staffId: string): Promise<StaffRow> => {
  const member = isUuid(staffId)
    ? await tx.staff.findUnique({ select: MEMBER, where: { id: staffId, institute_id: instituteId } })
    : null;
  if (member === null) throw failure('no_such_staff');
  return member;
};

/** The operator may disable or demote the last admin, to stop a stolen account. */
const keepAnAdmin = async (tx: ControlTx, manager: Manager, member: StaffRow): Promise<void> => {
  if (manager.staff_id === null || member.role !== 'admin' || member.disabled_at !== null) return;
  const other = await tx.staff.findFirst({
    select: { id: true },
    where: {
      institute_id: manager.institute_id,
      role: 'admin',
      disabled_at: null,
      id: { not: member.id },
      OR: [{ password_hash: { not: null } }, { identities: { some: {} } }],
    },
  });
  if (other === null) throw failure('last_admin');
};

/** Only admins and the operator manage accounts. */
const note = (
  tx: ControlTx,
  { institute_id, staff_id }: Manager,
  subjectId: string,
  action: AuditAction,
  after: Record<string, string> = {},
): Promise<void> =>
  auditAccount(
    tx,
    staff_id === null
      ? operatorActor(institute_id)
      : { institute_id, key_id: staff_id, staff: { role: 'admin' } },
    { action, subject_id: subjectId, after },
  );
