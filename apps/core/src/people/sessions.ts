import type { ControlTx } from '@evaluation/database';
import { newId } from '../command/newId.ts';
import type { Services } from '../command/services.ts';
import { signedInOf, type SignedIn } from './representation.ts';
import { hashOfToken, newToken } from './tokens.ts';

/*
 * Sessions of staff at the desk. A session is a row; it is valid until `expires_at`, which moves with its use, until it
 * is ended, or until its account is disabled. While the operator has disabled the institute, none is valid and none
 * starts. The desk's server may keep a valid answer for a few seconds.
 */

/** A session that is not used for this long has expired. */
const IDLE_MS = 12 * 60 * 60 * 1000;
/** A session ends this long after the sign-in, however much it is used. */
const LIFETIME_MS = 14 * 24 * 60 * 60 * 1000;
/** A further sign-in ends the oldest session. */
const MOST_OF_A_PERSON = 50;
/** Precision of `last_seen_at`: most calls must not write. */
const EXACT_TO_MS = 60_000;

const USER_AGENT_LENGTH = 200;

const expiryOf = (createdAt: number, now: number): Date =>
  new Date(Math.min(now + IDLE_MS, createdAt + LIFETIME_MS));

/** The operator has disabled the institute of a person who has been authenticated. */
const INSTITUTE_DISABLED = { refused: 'institute_disabled' } as const;

export type StartedSession = { token: string; staff: SignedIn } | typeof INSTITUTE_DISABLED;

/** Starts a session of a person who has been authenticated. */
export const startSession = async (
  { database }: Services,
  staffId: string,
  userAgent: string,
): Promise<StartedSession> => {
  const { token, hash } = newToken();
  const now = Date.now();
  const { control } = database;
  const { institute } = await control.staff.findUniqueOrThrow({
    where: { id: staffId },
    select: { institute: { select: { api_enabled: true } } },
  });
  if (!institute.api_enabled) return INSTITUTE_DISABLED;
  const session = await control.staff_sessions.create({
    data: {
      id: newId(),
      token_hash: hash,
      staff_id: staffId,
      user_agent: [...userAgent].slice(0, USER_AGENT_LENGTH).join(''),
      created_at: new Date(now),
      last_seen_at: new Date(now),
      proved_at: new Date(now),
      expires_at: expiryOf(now, now),
    },
  });
  await control.$executeRaw`
    update staff_sessions set ended_at = ${new Date(now)} where id in (
      select id from staff_sessions where staff_id = ${staffId}::uuid and ended_at is null
      order by id desc offset ${MOST_OF_A_PERSON})`;
  const staff = await control.staff.update({
    where: { id: staffId },
    data: { last_sign_in_at: new Date(now) },
    include: { institute: { select: { name: true } } },
  });
  return { token, staff: signedInOf(session, staff) };
};

/** Finds the person of a session and extends it, at most once a minute. @returns null if it is not valid */
export const findSession = async ({ database }: Services, token: string): Promise<SignedIn | null> => {
  const { control } = database;
  const session = await control.staff_sessions.findUnique({
    where: { token_hash: hashOfToken(token) },
    include: { staff: { include: { institute: { select: { name: true, api_enabled: true } } } } },
  });
  const now = Date.now();
  if (session === null || session.ended_at !== null || session.expires_at.getTime() <= now) return null;
  if (session.staff.disabled_at !== null || !session.staff.institute.api_enabled) return null;
  if (now - session.last_seen_at.getTime() >= EXACT_TO_MS) {
    await control.staff_sessions.updateMany({
      where: { id: session.id, ended_at: null },
      data: { last_seen_at: new Date(now), expires_at: expiryOf(session.created_at.getTime(), now) },
    });
  }
  return signedInOf(session, session.staff);
};

/** Ends the session of a token. A repeated call has no further effect. */
export const signOut = async ({ database }: Services, token: string): Promise<void> => {
  await database.control.staff_sessions.updateMany({
    where: { token_hash: hashOfToken(token), ended_at: null },
    data: { ended_at: new Date() },
  });
};

/** Ends all sessions of a person, except one. @returns the number of ended sessions */
export const endSessions = async (tx: ControlTx, staffId: string, except?: string): Promise<number> => {
  const now = new Date();
  const { count } = await tx.staff_sessions.updateMany({
    where: {
      staff_id: staffId,
      ended_at: null,
      expires_at: { gt: now },
      ...(except === undefined ? {} : { id: { not: except } }),
    },
    data: { ended_at: now },
  });
  return count;
};

interface SessionShown {
  id: string;
  user_agent: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
}

/** More sessions of one person are not shown. */
const MOST_SHOWN = 100;

/** The valid sessions of a person, newest first. */
export const sessionsOf = async ({ database }: Services, staffId: string): Promise<SessionShown[]> => {
  const sessions = await database.control.staff_sessions.findMany({
    where: { staff_id: staffId, ended_at: null, expires_at: { gt: new Date() } },
    orderBy: { id: 'desc' },
    take: MOST_SHOWN,
  });
  return sessions.map((session) => ({
    id: session.id,
    user_agent: session.user_agent,
    created_at: session.created_at.toISOString(),
    last_seen_at: session.last_seen_at.toISOString(),
    expires_at: session.expires_at.toISOString(),
  }));
};
