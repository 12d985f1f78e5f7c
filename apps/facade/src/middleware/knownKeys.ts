import { createHash } from 'node:crypto';
import type { CoreClient } from '@evaluation/core-client';
import { LRUCache } from 'lru-cache';
import type { LookUpLimits } from '@evaluation/platform/client-limits';

/*
 * Cache of API keys in this replica (docs/architecture.md#keys).
 *
 * State, in memory only: the keys that were found, by their SHA-256 hash, for `seconds` after the look-up; and for
 * `EXISTS_MS` the fact that a key exists. A key that was not found is not cached. The key itself is not stored.
 * Limits: a key known to exist is looked up again when its `seconds` are over. Any other key first passes
 * `lookUpLimits`, so that guessed keys delay only other unknown keys.
 * Changed by: look-ups of requests, and core's `keys_changed` broadcast, which removes keys.
 * Races: a look-up under way when `keys_changed` arrives may return the old key. It answers its own request and is not
 * cached. If the broadcast is lost (NATS is down), a change takes effect after `seconds`.
 */

export type AuthenticatedKey = NonNullable<
  Awaited<ReturnType<CoreClient['public']['authenticate']['query']>>
>;

export interface KnownKeys {
  /**
   * @param address of the client
   * @returns null when the key does not exist or is revoked; `NotAsked` when the limits of look-ups refused
   */
  find(apiKey: string, requestId: string, address: string): Promise<AuthenticatedKey | NotAsked | null>;
  /** Removes a changed key; without `key_id`, all keys of the institute. */
  forget(changed: { institute_id: string; key_id?: string | undefined }): void;
}

interface NotAsked {
  retryAfterSeconds: number;
}

const MAX_REMEMBERED = 10_000;
/** How long a key that was found is taken to exist. */
const EXISTS_MS = 6 * 60 * 60_000;
/** Form of an API key: a prefix (see API_KEY_PREFIX) and 48 hexadecimal characters. Other texts are not looked up. */
const FORM = /^[A-Za-z0-9_]{1,16}[0-9a-f]{48}$/;

/**
 * @param options.lookUp asks core for a key by its SHA-256, hexadecimal
 * @param options.seconds how long a key that was found is cached; 0 disables the cache
 */
export const knownKeys = (options: {
  lookUp: (hash: string, requestId: string) => Promise<AuthenticatedKey | null>;
  seconds: number;
  limits: LookUpLimits;
}): KnownKeys => {
  const existing = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: EXISTS_MS });
  const remembered = new LRUCache<string, AuthenticatedKey>({
    max: MAX_REMEMBERED,
    ttl: options.seconds * 1000,
  });
  /** Number of `forget` calls; a look-up during which it changed is not cached. */
  let changes = 0;

  return {
    find: async (apiKey, requestId, address) => {
      if (!FORM.test(apiKey)) return null;
      const hash = createHash('sha256').update(apiKey).digest('hex');
      // Monotonic time before the look-up, so that a slow answer does not lengthen the cached time.
      const start = performance.now();
      const hit = remembered.get(hash);
      if (hit !== undefined) return hit;
      const exists = existing.has(hash);
      const retryAfterSeconds = exists ? null : options.limits.take(address);
      if (retryAfterSeconds !== null) return { retryAfterSeconds };
      const changesBefore = changes;
      const key = await options.lookUp(hash, requestId);
      if (key === null) {
        existing.delete(hash);
        return null;
      }
      if (!exists) options.limits.giveBack(address);
      existing.set(hash, true, { start });
      if (changes === changesBefore && options.seconds > 0) remembered.set(hash, key, { start });
      return key;
    },
    forget: (changed) => {
      changes += 1;
      for (const [hash, key] of remembered) {
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
