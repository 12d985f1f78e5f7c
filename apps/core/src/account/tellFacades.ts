import type { Services } from '../services.ts';

/**
 * Tells every facade that a key changed, or, where none is named, all keys of an institute, so that they ask anew. If the
 * word is lost the change takes effect when they forget the key by themselves, within 30 seconds (docs/architecture.md#keys).
 * Call it after the change is committed.
 */
export const tellFacades = async (
  services: Services,
  changed: { institute_id: string; key_id?: string },
): Promise<void> => {
  await services.lanes.broadcast('keys_changed', { version: 1, ...changed }).catch((lost: unknown) => {
    services.log.warn({ err: lost, ...changed }, 'the facades could not be told of a changed key');
  });
};
