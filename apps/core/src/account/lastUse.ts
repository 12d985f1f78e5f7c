import type { Services } from '../services.ts';

/** How old the time of last use may be. Facades ask for a key that is in use twice a minute, each of them. */
const EXACT_TO_MS = 5 * 60 * 1000;

/**
 * Records that a key is in use: a write in five minutes, whatever its traffic, and never in the way of the request that
 * uses it. Nobody waits for it, it waits for nobody (of several at once one writes), and if it fails the next use tries.
 * @param lastUsedAt as it was just read
 */
export const noteUse = (services: Services, keyId: string, lastUsedAt: Date | null): void => {
  if (lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < EXACT_TO_MS) return;
  services.database.control.$executeRaw`
    update api_keys set last_used_at = clock_timestamp()
    where id = (
      select id from api_keys
      where id = ${keyId}::uuid
        and (last_used_at is null or last_used_at < clock_timestamp() - make_interval(secs => ${EXACT_TO_MS / 1000}))
      for no key update skip locked
    )`.catch((error: unknown) =>
    services.log.warn({ err: error, key_id: keyId }, 'the last use of a key could not be recorded'),
  );
};
