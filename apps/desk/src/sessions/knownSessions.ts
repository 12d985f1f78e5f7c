import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Actor, CoreAccess, Outputs } from '@evaluation/core-client';
import type { LookUpLimits } from '@evaluation/platform/client-limits';
import type { DeskSettings } from '@evaluation/platform/settings';
import { staffActor } from '@evaluation/platform/signed-actor';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../middleware/errors.ts';
import { requestIdOf } from '@evaluation/platform/http';
import { sessionCookie } from './cookie.ts';

type SignedIn = NonNullable<Outputs['public']['desk']['people']['session']>;

interface Known {
  staff: SignedIn;
  /** The same object while the session is cached, so that its signature is reused. */
  actor: Actor;
}

export interface KnownSessions {
  /**
   * The person of a request; null without a session, or if it has ended.
   * @throws Refusal 429 when too many unknown sessions are looked up, and what core's client throws
   */
  of(request: Request, response: Response): Promise<Known | null>;
  /** Of a session that has just begun: it is looked up without the limits. */
  learn(token: string): void;
  forget(token: string): void;
}

/** Longest time for which a session that was ended elsewhere is still accepted here. */
const KEPT_MS = 5000;
/** How long a session that was found is looked up without the limits. */
const EXISTS_MS = 12 * 60 * 60_000;
const MOST_KEPT = 10_000;

/**
 * Answers of core about sessions, kept for a few seconds, because a page makes many calls. State: by hash of the token,
 * the answer and its end, and the sessions that were found. Concurrent look-ups of one token are one call. A session
 * that was never found here passes the limits, so that made-up cookies cannot fill core's connections.
 */
export const knownSessions = (
  core: CoreAccess,
  settings: Pick<DeskSettings, 'url'>,
  limits: LookUpLimits,
): KnownSessions => {
  const cookie = sessionCookie(settings.url?.protocol === 'https:');
  const kept = new LRUCache<string, Promise<Known | null>>({ max: MOST_KEPT, ttl: KEPT_MS });
  const existing = new LRUCache<string, true>({ max: MOST_KEPT, ttl: EXISTS_MS });

  const lookUp = async (token: string, requestId: string): Promise<Known | null> => {
    const staff = await core.as({ requestId }).public.desk.people.session.query({ token });
    if (staff === null) return null;
    const { id, institute_id, role, scopes, proved_until } = staff;
    return { staff, actor: staffActor({ institute_id, staff_id: id, role, scopes, proved_until }) };
  };
  const limited = async (key: string, token: string, requestId: string, address: string) => {
    const isKnown = existing.has(key);
    const seconds = isKnown ? null : limits.take(address);
    if (seconds !== null) throw new Refusal(429, 'TOO_MANY_REQUESTS', seconds);
    const found = await lookUp(token, requestId);
    if (found === null) existing.delete(key);
    else {
      if (!isKnown) limits.giveBack(address);
      existing.set(key, true);
    }
    return found;
  };
  return {
    of: (request, response) => {
      const token = cookie.read(request);
      if (token === null) return Promise.resolve(null);
      const key = hashOf(token);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const answer = limited(key, token, requestIdOf(response), request.ip ?? 'unknown');
      kept.set(key, answer);
      const drop = () => {
        if (kept.get(key) === answer) kept.delete(key);
      };
      answer.then((found) => (found === null ? drop() : undefined), drop);
      return answer;
    },
    learn: (token) => void existing.set(hashOf(token), true),
    forget: (token) => void kept.delete(hashOf(token)),
  };
};

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
