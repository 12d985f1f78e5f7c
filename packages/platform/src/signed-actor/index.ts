import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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
  staff: z
    .object({
      role: z.string().min(1).max(50),
      /**
       * Time in ms until which the person counts as present: a sign-in or the password a short while ago. Absent if
       * the caller vouches for it, as an internal team does.
       */
      proved_until: z.int().optional(),
    })
    .optional(),
});
export interface Actor extends z.infer<typeof Actor> {
  /** Name of the internal team whose key signed the actor. The verifier sets it; it is no part of what is signed. */
  team?: string;
}

export interface StaffActor extends Actor {
  staff: { role: string; proved_until?: number | undefined };
}

/** An actor for a member of staff, to be signed by a service that has authenticated this person. */
export const staffActor = (staff: {
  institute_id: string;
  staff_id: string;
  role: string;
  scopes: string[];
  proved_until?: number;
}): StaffActor => ({
  institute_id: staff.institute_id,
  key_id: staff.staff_id,
  scopes: staff.scopes,
  staff: {
    role: staff.role,
    ...(staff.proved_until === undefined ? {} : { proved_until: staff.proved_until }),
  },
});

const Signed = Actor.extend({ exp: z.int() });
const LIFETIME_MS = 60_000;

export const signActor = (actor: Actor, signingKey: string, now = Date.now()): string => {
  const { team: _, ...signed } = actor;
  const payload = Buffer.from(JSON.stringify({ ...signed, exp: now + LIFETIME_MS })).toString('base64url');
  return `${payload}.${mac(payload, signingKey)}`;
};

/** @returns null when the token is malformed, forged or expired */
const verify = (token: string, signingKey: string, now: number): { actor: Actor; exp: number } | null => {
  const [payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return null;
  const expected = Buffer.from(mac(payload, signingKey));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const parsed = Signed.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!parsed.success || parsed.data.exp < now) return null;
  const { exp, ...actor } = parsed.data;
  return { actor, exp };
};

/** Longer than a burst of calls; short enough that a token is far from its expiry when it is sent. */
const SIGN_AGAIN_MS = LIFETIME_MS / 3;

/**
 * Signs actors for a caller that makes many calls with the same actor object. A token is used again for a third of its
 * lifetime.
 */
export const actorSigner = (signingKey: string, now: () => number = Date.now): ((actor: Actor) => string) => {
  const signed = new WeakMap<Actor, { token: string; untilMs: number }>();
  return (actor) => {
    const known = signed.get(actor);
    if (known !== undefined && now() < known.untilMs) return known.token;
    const token = signActor(actor, signingKey, now());
    signed.set(actor, { token, untilMs: now() + SIGN_AGAIN_MS });
    return token;
  };
};

const MOST_VERIFIED = 10_000;

/**
 * Verifies actors for a receiver that gets the same token many times. A token whose signature was verified is compared
 * as a whole afterwards; its expiry is checked each time. Two keys are accepted while one replaces the other. The
 * limits of a team are not checked here.
 */
export const actorVerifier = (
  signingKeys: readonly string[],
  teams: readonly { name: string; keys: readonly string[] }[] = [],
  now: () => number = Date.now,
): ((token: string) => Actor | null) => {
  const holders = [
    ...signingKeys.map((key) => ({ key, team: null })),
    ...teams.flatMap(({ name, keys }) => keys.map((key) => ({ key, team: name }))),
  ];
  const verified = new LRUCache<string, { actor: Actor; exp: number }>({ max: MOST_VERIFIED });
  return (token) => {
    const known = verified.get(token);
    if (known !== undefined) return known.exp < now() ? null : known.actor;
    for (const { key, team } of holders) {
      const found = verify(token, key, now());
      if (found === null) continue;
      const actor = team === null ? found.actor : { ...found.actor, team };
      verified.set(token, { actor, exp: found.exp });
      return actor;
    }
    return null;
  };
};

const mac = (payload: string, signingKey: string): string =>
  createHmac('sha256', signingKey).update(payload).digest('base64url');
