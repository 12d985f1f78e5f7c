import type { Services } from '../../command/services.ts';

/**
 * Broadcasts that a key changed (or all keys of an institute, if `key_id` is absent), so that facades look it up again.
 * If the broadcast is lost, the change takes effect when the cache entries expire, within 30 seconds
 * (docs/architecture.md#keys). Call it after the change is committed.
 */
export const broadcastKeyChange = async (
  services: Services,
  changed: { institute_id: string; key_id?: string },
): Promise<void> => {
  await services.lanes.broadcast('keys_changed', { version: 1, ...changed }).catch((lost: unknown) => {
    services.log.warn(
      { err: lost, ...changed },
      'broadcast of a changed key failed; facades apply the change within 30 seconds',
    );
  });
};
