import { listed, QuestionListQuery, type QuestionList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';
import type { Services } from '../../command/services.ts';
import { readQuestions } from './readQuestions.ts';

/** @throws DomainFailure exam_not_found, validation_failed, service_unavailable while rubrics cannot be saved */
export const listQuestions = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  query: unknown,
): Promise<QuestionList> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const include = listed(accept(QuestionListQuery, query).include);
    // Pending rubrics must be saved first; otherwise the list would show the questions without them.
    if (include.size > 0) await savePendingRubricsOfExam(tx, actor.institute_id, exam.id);
    const stored = await readQuestions(tx, actor.institute_id, exam.id, { include });
    return { questions: stored.map(({ question }) => question) };
  });
