import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * What one replica of the facade has counted, for the other replicas (design 3.15). How they use it stands at the head of
 * `apps/facade/src/rateLimits/ledger.ts`.
 *
 * Broadcast over core NATS. All numbers are totals of one window so far and only grow: a message that comes twice, late
 * or never changes nothing that the next one does not put right.
 */
export const rateCounts = defineJob({
  name: 'rate_counts',
  version: 1,
  shape: {
    /** One life of one replica: a restarted one has another id. */
    replica: z.guid(),
    /** It has a share of the windows that start from here on; ms since 1970 by its clock, 0 for all. */
    since: z.int().min(0),
    /** It has just started, listens, and admits nothing yet. */
    joining: z.boolean().optional(),
    /**
     * It is no more, since then (ms since 1970). The last words of a replica that stops, with the heir who may use what it
     * has left; repeated by others, or said by them of one that they no longer hear, for a replica that is new.
     */
    gone: z.object({ at: z.int().min(0), heir: z.guid().optional() }).optional(),
    /** The windows of which there is news; none in a mere sign of life. */
    windows: z
      .array(
        z.object({
          /** `key:<id>:writes`, `institute:<id>:reads`. */
          subject: z.string().max(200),
          seconds: z.union([z.literal(1), z.literal(60)]),
          /** Seconds since 1970. */
          start: z.int().min(0),
          /** Admitted by this replica. */
          used: z.int().min(0),
          /** Given away by this replica, to whom and how much. */
          given: z.record(z.guid(), z.int().min(1)).optional(),
          /** This replica needs more: how much it would like, under which limit. */
          wants: z.object({ amount: z.int().min(1), limit: z.int().min(1) }).optional(),
          /** This replica was asked and has nothing to give. */
          dry: z.boolean().optional(),
        }),
      )
      .max(10_000),
  },
});

export type RateCounts = z.infer<typeof rateCounts.schema>;
