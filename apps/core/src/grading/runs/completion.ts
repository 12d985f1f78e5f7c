import * as z from 'zod/v4';
import {
  DrawingBytes,
  PagePictures,
  ReviewReasons,
  TurnedPages,
} from '../../command/workerCalls/workerInput.ts';
import { UsedByRun } from './usedByRun.ts';

export const Completion = z.object({
  /** Null for typed runs, or if drawing failed. */
  checked_copy: z.object({ size_bytes: DrawingBytes, pictures: PagePictures }).nullable(),
  /** Reasons that concern the whole copy. */
  review_reasons: ReviewReasons,
  /** Absent for typed runs. */
  turned_pages: TurnedPages.optional(),
  ...UsedByRun.shape,
});
export type Completion = z.infer<typeof Completion>;
