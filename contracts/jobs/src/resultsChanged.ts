import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/** Most ids of one message, so that it stays far below the largest message of NATS (1 MB). */
export const MOST_CHANGED = 200;

const ids = z.array(z.guid()).max(MOST_CHANGED);

/**
 * Exams and submissions of an institute changed, so that open pages of the desk read them again
 * (docs/architecture.md#live-pages).
 *
 * Broadcast over core NATS without delivery guarantee: a desk that misses it shows the change when its pages read
 * again, within a minute.
 */
export const resultsChanged = defineJob({
  name: 'results_changed',
  version: 1,
  shape: {
    institute_id: z.guid(),
    exam_ids: ids,
    submission_ids: ids,
    /** True if more ids changed than fit into the message: then anything of the institute may have changed. */
    more: z.boolean(),
  },
});

export type ResultsChanged = z.infer<typeof resultsChanged.schema>;
