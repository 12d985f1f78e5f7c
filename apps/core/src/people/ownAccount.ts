import { DomainFailure } from '@evaluation/rest-contract/errors';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';
import { auditOwnAct } from '../command/audit.ts';
import { hashPassword, isPassword, requirePasswords } from './passwords.ts';
import { endSessions, findSession } from './sessions.ts';
import { countAttempt, takeBackAttempt } from './throttle.ts';

/** Ends all sessions of the caller but one. @returns how many were ended */
export const endOtherSessions = async (
  { database }: Services,
  me: { staff_id: string },
  sessionId: string,
): Promise<{ ended: number }> => ({ ended: await endSessions(database.control, me.staff_id, sessionId) });

type ProofAnswer =
  | { proved: true }
  | { refused: 'wrong_credentials' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

/**
 * Compares the password of a session's person, who then counts as present for a while: a session may have been left
 * open. Wrong passwords count as failed sign-ins. @throws NoTurn while too many passwords are compared
 */
export const provePresence = async (
  services: Services,
  input: { token: string; password: string },
): Promise<ProofAnswer> => {
  requirePasswords(services);
  const signedIn = await findSession(services, input.token);
  if (signedIn === null) return { refused: 'wrong_credentials' };
  const { control } = services.database;
  const staff = await control.staff.findUniqueOrThrow({ where: { id: signedIn.id } });
  const attempt = { email: staff.email, address: `staff ${staff.id}` };
  const wait = await countAttempt(services, attempt);
  if (wait !== null) return { refused: 'too_many_attempts', retry_after_seconds: wait };
  if (!(await isPassword(staff.id, input.password, staff.password_hash)))
    return { refused: 'wrong_credentials' };
  await takeBackAttempt(services, attempt);
  await control.staff_sessions.updateMany({
    where: { id: signedIn.session_id, ended_at: null },
    data: { proved_at: new Date() },
  });
  return { proved: true };
};

/**
 * Changes the password of the caller and ends the caller's other sessions. Wrong passwords count as failed sign-ins.
 * @throws DomainFailure validation_failed, rate_limited, not_found; NoTurn
 */
export const changePassword = async (
  services: Services,
  me: { institute_id: string; staff_id: string },
  input: { current: string; next: string; session_id?: string | undefined },
): Promise<void> => {
  requirePasswords(services);
  const { database } = services;
  const staff = await database.control.staff.findUnique({
    where: { id: me.staff_id, institute_id: me.institute_id, disabled_at: null },
  });
  if (staff === null) throw failure('no_such_staff');
  const attempt = { email: staff.email, address: `staff ${staff.id}` };
  if ((await countAttempt(services, attempt)) !== null) throw new DomainFailure('rate_limited');
  if (!(await isPassword(staff.id, input.current, staff.password_hash))) {
    const error = { field: 'current', code: 'wrong', message: 'This is not your present password.' };
    throw new DomainFailure('validation_failed', { details: { errors: [error] } });
  }
  await takeBackAttempt(services, attempt);
  const next = await hashPassword(staff.id, input.next, {
    about: [staff.email, staff.name],
    field: 'next',
  });
  await database.control.$transaction(async (tx) => {
    await tx.staff.update({ where: { id: staff.id }, data: { password_hash: next } });
    await endSessions(tx, staff.id, input.session_id);
    await auditOwnAct(tx, staff, 'staff_password');
  });
};
