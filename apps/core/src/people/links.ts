import type { ControlTx } from '@evaluation/database';
import { networkOf } from '@evaluation/platform/client-limits';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';
import { auditOwnAct } from '../command/audit.ts';
import { hashPassword, requirePasswords } from './passwords.ts';
import { endSessions, startSession, type StartedSession } from './sessions.ts';
import { hashOfToken, newToken } from './tokens.ts';

/*
 * Links by which a person sets a password: an invitation, or a reset that an admin has made. A link is used once; a
 * newer link of the same person makes older ones invalid.
 */

const LIFETIME_MS = { invitation: 7 * 24 * 60 * 60 * 1000, password_reset: 24 * 60 * 60 * 1000 };

/** Shown once. The path is below the desk's address; the token stands after `#`, so no server logs it. */
export interface Link {
  path: string;
  expires_at: string;
}

/** Makes a link for a person whose row the transaction has locked. */
export const makeLink = async (
  tx: ControlTx,
  staffId: string,
  purpose: keyof typeof LIFETIME_MS,
): Promise<Link> => {
  const now = new Date();
  await tx.staff_links.updateMany({
    where: { staff_id: staffId, used_at: null, expires_at: { gt: now } },
    data: { expires_at: now },
  });
  const { token, hash } = newToken();
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose]);
  await tx.staff_links.create({
    data: { token_hash: hash, staff_id: staffId, purpose, expires_at: expiresAt },
  });
  return { path: `/invitation#${token}`, expires_at: expiresAt.toISOString() };
};

const findLink = async ({ database }: Services, token: string) => {
  const link = await database.control.staff_links.findUnique({
    where: { token_hash: hashOfToken(token) },
    include: { staff: { include: { institute: { select: { name: true } } } } },
  });
  const isValid =
    link !== null &&
    link.used_at === null &&
    link.expires_at.getTime() > Date.now() &&
    link.staff.disabled_at === null;
  return isValid ? link : null;
};

/** What the page of a link shows. @returns null if the link is not valid */
export const showLink = async (
  services: Services,
  token: string,
): Promise<{
  purpose: 'invitation' | 'password_reset';
  email: string;
  name: string;
  institute_name: string;
} | null> => {
  const link = await findLink(services, token);
  if (link === null) return null;
  const { email, name, institute } = link.staff;
  return { purpose: link.purpose, email, name, institute_name: institute.name };
};

/**
 * Sets the password of the link's person, ends the sessions of that person and starts a new one. Of two calls with the
 * same link one succeeds. @throws DomainFailure not_found, validation_failed; NoTurn
 */
export const followLink = async (
  services: Services,
  input: {
    token: string;
    name?: string | undefined;
    password: string;
    address: string;
    user_agent: string;
  },
): Promise<StartedSession> => {
  requirePasswords(services);
  const link = await findLink(services, input.token);
  if (link === null) throw failure('no_such_link');
  const { staff } = link;
  const about = [staff.email, staff.name, input.name ?? ''];
  const password = await hashPassword(networkOf(input.address), input.password, { about });
  await services.database.control.$transaction(async (tx) => {
    const now = new Date();
    const used = await tx.staff_links.updateMany({
      where: { token_hash: link.token_hash, used_at: null, expires_at: { gt: now } },
      data: { used_at: now },
    });
    if (used.count === 0) throw failure('no_such_link');
    const changed = await tx.staff.updateMany({
      where: { id: staff.id, disabled_at: null },
      data: { password_hash: password, ...(input.name === undefined ? {} : { name: input.name }) },
    });
    if (changed.count === 0) throw failure('no_such_link');
    await endSessions(tx, staff.id);
    // The way back for a person who has lost the device.
    await tx.staff_passkeys.deleteMany({ where: { staff_id: staff.id } });
    await auditOwnAct(tx, staff, link.purpose === 'invitation' ? 'staff_join' : 'staff_password');
  });
  return startSession(services, staff.id, input.user_agent);
};
