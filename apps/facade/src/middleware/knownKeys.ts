import { createHash } from 'node:crypto';
import type { CoreClient } from '@evaluation/core-client';

/*
 * What this replica knows of API keys (spec chapter 5, design 3.14).
 *
 * State: the keys that were found, by the hash of the key, each for `seconds` after it was asked for. A key that was not
 * found is never remembered. Nothing here outlives the process, and the key itself is nowhere.
 * Changed by: requests, which ask core for what is not known, and core's word that keys changed, which removes them.
 * A look-up that is under way when that word comes may bring what was true before: its answer serves the request that
 * asked, and is not remembered. When the word is lost (NATS is away), a change takes effect after `seconds`.
 */

export type AuthenticatedKey = NonNullable<
  Awaited<ReturnType<CoreClient['public']['authenticate']['query']>>
>;

export interface KnownKeys {
  /** @returns null when there is no such key, or it is revoked */
  find(apiKey: string, requestId: string): Promise<AuthenticatedKey | null>;
  /** A key changed, or, where none is named, all of its institute. */
  forget(changed: { institute_id: string; key_id?: string | undefined }): void;
}

const MAX_REMEMBERED = 10_000;
/** What no key can be is not asked for: a prefix (see API_KEY_PREFIX) and 48 hexadecimal characters. */
const FORM = /^[A-Za-z0-9_]{1,16}[0-9a-f]{48}$/;

/**
 * @param options.lookUp asks core for a key by its SHA-256, hexadecimal
 * @param options.seconds how long a key that was found is remembered; 0 asks each time
 */
export const knownKeys = (options: {
  lookUp: (hash: string, requestId: string) => Promise<AuthenticatedKey | null>;
  seconds: number;
}): KnownKeys => {
  const remembered = new Map<string, { key: AuthenticatedKey; untilMs: number }>();
  /** How often core said that something changed. */
  let changes = 0;

  const remember = (hash: string, key: AuthenticatedKey, untilMs: number): void => {
    // Oldest first out: a Map keeps the order of insertion.
    remembered.delete(hash);
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.set(hash, { key, untilMs });
  };

  return {
    find: async (apiKey, requestId) => {
      if (!FORM.test(apiKey)) return null;
      const hash = createHash('sha256').update(apiKey).digest('hex');
      // Counted from before the question, however long the answer takes, and by a clock that nobody sets.
      const askedMs = performance.now();
      const hit = remembered.get(hash);
      if (hit !== undefined && hit.untilMs > askedMs) return hit.key;
      remembered.delete(hash);
      const changesBefore = changes;
      const key = await options.lookUp(hash, requestId);
      if (key !== null && changes === changesBefore && options.seconds > 0) {
        remember(hash, key, askedMs + options.seconds * 1000);
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
