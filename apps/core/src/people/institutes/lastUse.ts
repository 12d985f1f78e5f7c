import type { Services } from '../../command/services.ts';

/** Precision of `last_used_at`. Each facade looks up every key in use twice a minute; most look-ups must not write. */
const EXACT_TO_MS = 5 * 60 * 1000;

/**
 * Records the use of a key: at most one write in five minutes, without delaying the request. The caller does not wait
 * for the write, `skip locked` drops concurrent writes, and the next use repeats a failed write.
 * @param lastUsedAt the stored value, read just before
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
    services.log.warn(
      { err: error, key_id: keyId },
      'recording the last use of a key failed; the next use tries again',
    ),
  );
};
