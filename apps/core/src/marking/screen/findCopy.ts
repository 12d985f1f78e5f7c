import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../../command/accept.ts';
import { visibleSubmissions } from '../../command/locks/lockSubmission.ts';
import type { Viewer } from '../../command/locks/visibleExams.ts';

/** Finds a submission that is not deleted, without a lock. @throws DomainFailure not_found */
export const findCopy = async (
  tx: Tx,
  viewer: Viewer,
  submissionId: string,
): Promise<{ id: string; exam_id: string; marks_revision: number }> => {
  const found = isUuid(submissionId)
    ? await visibleSubmissions(tx, viewer)
        .select(['s.id', 's.exam_id', 's.marks_revision'])
        .where('s.id', '=', submissionId)
        .where('s.state', '<>', 'deleted')
        .executeTakeFirst()
    : undefined;
  if (found === undefined) throw new DomainFailure('not_found');
  return found;
};

/** @throws DomainFailure not_found if the exam of the submission has no such question */
export const findQuestionOfCopy = async (
  tx: Tx,
  instituteId: string,
  copy: { exam_id: string },
  questionId: string,
): Promise<void> => {
  const question = isUuid(questionId)
    ? await tx
        .selectFrom('questions')
        .select('id')
        .where('institute_id', '=', instituteId)
        .where('exam_id', '=', copy.exam_id)
        .where('id', '=', questionId)
        .executeTakeFirst()
    : undefined;
  if (question === undefined) throw new DomainFailure('not_found');
};
