import { createHash } from 'node:crypto';
import type { Actor, CoreAccess, Outputs } from '@evaluation/core-client';
import { staffActor } from '@evaluation/platform/signed-actor';
import { LRUCache } from 'lru-cache';

type SignedIn = NonNullable<Outputs['public']['desk']['people']['session']>;

interface Known {
  staff: SignedIn;
  /** The same object while the session is cached, so that its signature is reused. */
  actor: Actor;
}

export interface KnownSessions {
  /** @returns null if the session has ended @throws what core's client throws */
  find(token: string, requestId: string): Promise<Known | null>;
  forget(token: string): void;
}

/** Longest time for which a session that was ended elsewhere is still accepted here. */
const KEPT_MS = 5000;
const MOST_KEPT = 10_000;

/**
 * Answers of core about sessions, kept for a few seconds, because a page makes many calls. State: by hash of the token,
 * the answer and its end. Concurrent look-ups of one token are one call. Sessions that core does not know are not kept.
 */
export const knownSessions = (core: CoreAccess): KnownSessions => {
  const kept = new LRUCache<string, Promise<Known | null>>({ max: MOST_KEPT, ttl: KEPT_MS });
  const lookUp = async (token: string, requestId: string): Promise<Known | null> => {
    const staff = await core.as({ requestId }).public.desk.people.session.query({ token });
    if (staff === null) return null;
    const { id, institute_id, role, scopes, proved_until } = staff;
    return { staff, actor: staffActor({ institute_id, staff_id: id, role, scopes, proved_until }) };
  };
  return {
    find: (token, requestId) => {
      const key = hashOf(token);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const answer = lookUp(token, requestId);
      kept.set(key, answer);
      const drop = () => {
        if (kept.get(key) === answer) kept.delete(key);
      };
      answer.then((found) => (found === null ? drop() : undefined), drop);
      return answer;
    },
    forget: (token) => void kept.delete(hashOf(token)),
  };
};

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
