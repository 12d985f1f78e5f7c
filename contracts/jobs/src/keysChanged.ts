import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * A key was revoked or its terms changed, or those of its whole institute did: whoever remembers it should ask core anew
 * (docs/architecture.md#keys).
 *
 * Broadcast over core NATS, heard by whoever is connected now and by nobody later. It only saves waiting: a facade that
 * does not hear it forgets every key within 30 seconds anyway.
 */
export const keysChanged = defineJob({
  name: 'keys_changed',
  version: 1,
  shape: {
    institute_id: z.guid(),
    /** Absent: every key of the institute. */
    key_id: z.guid().optional(),
  },
});

export type KeysChanged = z.infer<typeof keysChanged.schema>;
