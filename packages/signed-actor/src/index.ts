import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/v4';

/**
 * The API key and institute of a public call to core (docs/architecture.md#the-picture). The facade signs an actor
 * after it has checked the key; core accepts signed actors only. A short lifetime limits the use of a stolen one.
 */
export const Actor = z.object({
  institute_id: z.uuid(),
  /** The API key; for a member of staff, the id of that person. */
  key_id: z.uuid(),
  scopes: z.array(z.string()),
  /** Set when a member of staff acts instead of an API key. Rights follow from `scopes`; the role is for the audit. */
  staff: z.object({ role: z.string().min(1).max(50) }).optional(),
});
export type Actor = z.infer<typeof Actor>;

export interface StaffActor extends Actor {
  staff: { role: string };
}

/** An actor for a member of staff, to be signed by a service that has authenticated this person. */
export const staffActor = (staff: {
  institute_id: string;
  staff_id: string;
  role: string;
  scopes: string[];
}): StaffActor => ({
  institute_id: staff.institute_id,
  key_id: staff.staff_id,
  scopes: staff.scopes,
  staff: { role: staff.role },
});

const Signed = Actor.extend({ exp: z.int() });
const LIFETIME_MS = 60_000;

export const signActor = (actor: Actor, signingKey: string, now = Date.now()): string => {
  const payload = Buffer.from(JSON.stringify({ ...actor, exp: now + LIFETIME_MS })).toString('base64url');
  return `${payload}.${mac(payload, signingKey)}`;
};

/** @returns the actor, or null when the token is malformed, forged or expired */
export const verifyActor = (token: string, signingKey: string, now = Date.now()): Actor | null => {
  const [payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return null;
  const expected = Buffer.from(mac(payload, signingKey));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const parsed = Signed.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!parsed.success || parsed.data.exp < now) return null;
  const { exp: _, ...actor } = parsed.data;
  return actor;
};

const mac = (payload: string, signingKey: string): string =>
  createHmac('sha256', signingKey).update(payload).digest('base64url');
