import type { Deleted } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { lockExam, refuseChange } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { auditPaper } from './auditPaper.ts';
import { findQuestion } from './findQuestion.ts';
import { asSent } from './questionFields.ts';
import { PLAIN } from './readQuestions.ts';
import { dropEmptySections, recountPaper } from './paperUnderLock.ts';

/** @throws DomainFailure exam_not_found, not_found, conflict, exam_finalized */
export const deleteQuestion = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  questionId: string,
): Promise<Deleted> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const { question } = await findQuestion(tx, actor.institute_id, exam.id, questionId, PLAIN);
    refuseChange(exam, 'change_scheme');
    await tx
      .deleteFrom('questions')
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', question.id)
      .execute();
    const place = { instituteId: actor.institute_id, examId: exam.id };
    await dropEmptySections(tx, place);
    await recountPaper(tx, place, exam.rubric_version);
    await auditPaper(tx, actor, exam.id, [{ before: asSent(question), after: null }], {
      mode: exam.mode,
      firstSection: null,
    });
    return { id: question.id, deleted: true };
  });
