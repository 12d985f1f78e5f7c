import { createHash } from 'node:crypto';
import type { CoreClient } from '@evaluation/core-client';
import type { LookUpLimits } from './lookUpLimits.ts';

/*
 * What this replica knows of API keys (docs/architecture.md#keys).
 *
 * State: the keys that were found, by the hash of the key, each for `seconds` after it was asked for, and for hours that
 * it exists. A key that was not found is never remembered. Nothing here outlives the process, and the key itself is nowhere.
 * A key that exists is asked for whenever its `seconds` are over; any other passes the limits of look-ups first, so those who
 * try keys wait only for each other.
 * Changed by: requests, which ask core for what is not known, and core's word that keys changed, which removes them.
 * A look-up that is under way when that word comes may bring what was true before: its answer serves the request that
 * asked, and is not remembered. When the word is lost (NATS is away), a change takes effect after `seconds`.
 */

export type AuthenticatedKey = NonNullable<
  Awaited<ReturnType<CoreClient['public']['authenticate']['query']>>
>;

export interface KnownKeys {
  /**
   * @param address of the client
   * @returns null when there is no such key, or it is revoked; when it was not asked for, in how many seconds it may be
   */
  find(apiKey: string, requestId: string, address: string): Promise<AuthenticatedKey | NotAsked | null>;
  /** A key changed, or, where none is named, all of its institute. */
  forget(changed: { institute_id: string; key_id?: string | undefined }): void;
}

export interface NotAsked {
  retryAfterSeconds: number;
}

const MAX_REMEMBERED = 10_000;
/** How long a key that was found is taken to exist. */
const EXISTS_MS = 6 * 60 * 60_000;
/** What no key can be is not asked for: a prefix (see API_KEY_PREFIX) and 48 hexadecimal characters. */
const FORM = /^[A-Za-z0-9_]{1,16}[0-9a-f]{48}$/;

/**
 * @param options.lookUp asks core for a key by its SHA-256, hexadecimal
 * @param options.seconds how long a key that was found is remembered; 0 asks each time
 */
export const knownKeys = (options: {
  lookUp: (hash: string, requestId: string) => Promise<AuthenticatedKey | null>;
  seconds: number;
  limits: LookUpLimits;
}): KnownKeys => {
  /** Until when each key is taken to exist. */
  const existing = new Map<string, number>();
  const remembered = new Map<string, { key: AuthenticatedKey; untilMs: number }>();
  /** How often core said that something changed. */
  let changes = 0;

  /** Oldest first out: a Map keeps the order of insertion. */
  const put = <T>(into: Map<string, T>, hash: string, value: T): void => {
    into.delete(hash);
    const [oldest] = into.keys();
    if (into.size >= MAX_REMEMBERED && oldest !== undefined) into.delete(oldest);
    into.set(hash, value);
  };

  return {
    find: async (apiKey, requestId, address) => {
      if (!FORM.test(apiKey)) return null;
      const hash = createHash('sha256').update(apiKey).digest('hex');
      // Counted from before the question, however long the answer takes, and by a clock that only goes forward.
      const askedMs = performance.now();
      const hit = remembered.get(hash);
      if (hit !== undefined && hit.untilMs > askedMs) return hit.key;
      remembered.delete(hash);
      const exists = (existing.get(hash) ?? 0) > askedMs;
      const retryAfterSeconds = exists ? null : options.limits.take(address);
      if (retryAfterSeconds !== null) return { retryAfterSeconds };
      const changesBefore = changes;
      const key = await options.lookUp(hash, requestId);
      if (key === null) {
        existing.delete(hash);
        return null;
      }
      if (!exists) options.limits.giveBack(address);
      put(existing, hash, askedMs + EXISTS_MS);
      if (changes === changesBefore && options.seconds > 0) {
        put(remembered, hash, { key, untilMs: askedMs + options.seconds * 1000 });
      }
      return key;
    },
    forget: (changed) => {
      changes += 1;
      for (const [hash, { key }] of remembered) {
        if (
          key.institute_id === changed.institute_id &&
          (changed.key_id === undefined || key.key_id === changed.key_id)
        ) {
          remembered.delete(hash);
        }
      }
    },
  };
};
