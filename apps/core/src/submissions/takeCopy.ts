import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { MAX_PAGES, MAX_VISION_PAGES } from '@evaluation/rules';
import { failure } from '../command/failures.ts';
import { isUuid, refuseField } from '../command/accept.ts';
import type { Intake } from './takeTypedAnswers.ts';

/**
 * An upload serves one submission only.
 * @throws DomainFailure not_found, conflict (used, or not ready yet), validation_failed (rejected), too_many_pages
 */
export const takeCopy = async (
  tx: Tx,
  copy: {
    instituteId: string;
    exam: { question_count: number };
    submissionId: string;
    uploadId: string;
  },
): Promise<Intake> => {
  const upload = isUuid(copy.uploadId)
    ? await tx
        .selectFrom('uploads')
        .select(['id', 'status', 'pages', 'reject_reason', 'submission_id', 'repaired'])
        .where('institute_id', '=', copy.instituteId)
        .where('id', '=', copy.uploadId)
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (upload === undefined) throw failure('upload_not_found');
  if (upload.submission_id !== null) {
    throw failure('upload_used');
  }
  if (upload.status === 'rejected') {
    return refuseField('upload_id', 'upload_rejected', upload.reject_reason ?? 'The file was rejected.');
  }
  if (upload.status !== 'ready' || upload.pages === null) {
    throw failure('upload_not_ready');
  }
  if (upload.pages > MAX_PAGES) throw new DomainFailure('too_many_pages');
  await tx
    .updateTable('uploads')
    .set({ submission_id: copy.submissionId, unneeded_since: null, heading: null })
    .where('institute_id', '=', copy.instituteId)
    .where('id', '=', upload.id)
    .execute();
  return {
    uploadId: upload.id,
    pages: upload.pages,
    units: upload.pages,
    questionsForAi: copy.exam.question_count,
    beyondVision: upload.pages > MAX_VISION_PAGES,
    isRepaired: upload.repaired,
    answers: [],
    results: [],
  };
};
