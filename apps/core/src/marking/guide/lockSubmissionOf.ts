import type { Tx } from '@evaluation/database';

/**
 * Locks a submission for a pass. Like a worker, a pass takes no lock of the exam, so other commands under the exam go
 * on (docs/architecture.md#lock-order).
 * @returns null if it is not live any more
 */
export const lockSubmissionOf = async (tx: Tx, instituteId: string, submissionId: string) =>
  (await tx
    .selectFrom('submissions')
    .select(['id', 'exam_id', 'candidate_id', 'current_run_id', 'review_reasons', 'approved_at', 'lane'])
    .where('institute_id', '=', instituteId)
    .where('id', '=', submissionId)
    .where('state', '=', 'live')
    .forUpdate()
    .executeTakeFirst()) ?? null;

export type SubmissionInPass = NonNullable<Awaited<ReturnType<typeof lockSubmissionOf>>>;
