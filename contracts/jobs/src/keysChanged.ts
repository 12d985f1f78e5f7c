import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * A key was revoked, or terms of a key or of its institute have changed: facades drop the key from their caches
 * (docs/architecture.md#keys).
 *
 * Broadcast over core NATS without delivery guarantee: only connected processes receive it. A facade that misses it
 * uses its cached keys for up to 30 seconds more.
 */
export const keysChanged = defineJob({
  name: 'keys_changed',
  version: 1,
  shape: {
    institute_id: z.guid(),
    /** Absent: all keys of the institute. */
    key_id: z.guid().optional(),
  },
});

export type KeysChanged = z.infer<typeof keysChanged.schema>;
