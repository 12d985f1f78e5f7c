import { ExamOpen, type Exam } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import { audit } from '../command/audit.ts';
import type { Services } from '../command/services.ts';
import { lockExamFor } from '../command/locks/lockExam.ts';
import { checkReady } from './openChecks.ts';
import { readExam } from './readExam.ts';

/**
 * Opens a draft; returns an open exam unchanged. @throws DomainFailure exam_not_found, exam_finalized,
 * validation_failed, exam_not_ready
 */
export const openExam = (services: Services, actor: Actor, examId: string, body: unknown): Promise<Exam> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExamFor(tx, actor, examId, 'open');
    accept(ExamOpen, body);
    if (exam.status === 'draft') {
      checkReady({ questions: exam.question_count });
      await tx
        .updateTable('exams')
        .set({ status: 'open' })
        .where('institute_id', '=', actor.institute_id)
        .where('id', '=', exam.id)
        .execute();
      await audit(tx, actor, [{ action: 'exam_open', exam_id: exam.id }]);
    }
    return readExam(tx, actor, exam.id, { dashboardUrl: services.settings.dashboardUrl });
  });
