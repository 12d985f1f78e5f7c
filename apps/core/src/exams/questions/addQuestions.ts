import { QuestionsAdd, type QuestionsAdded } from '@evaluation/rest-contract/schemas';
import { addedProblems, addedSteps, isRead } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { finishInSlices } from '@evaluation/platform/turns';
import { acceptInSlices, refuse } from '../../command/accept.ts';
import { lockExamFor } from '../../command/locks/lockExam.ts';
import { auditPaper } from './auditPaper.ts';
import { appendVersion } from '../paper/appendVersion.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';
import type { Services } from '../../command/services.ts';
import { insertQuestions } from './insertQuestions.ts';
import { readQuestions, WHOLE } from './readQuestions.ts';
import { addSections, readPaperUnderLock, recountPaper } from './paperUnderLock.ts';

/**
 * Adds questions at the end of a draft paper in the order of the request, in one transaction
 * (docs/api/lifecycle.md#exams). Their rubrics and model answers are one new version.
 * @throws DomainFailure exam_not_found, conflict, exam_finalized, validation_failed and the errors of the rules of a
 * paper
 */
export const addQuestions = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  body: unknown,
): Promise<QuestionsAdded> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExamFor(tx, actor, examId, 'change_scheme');
    const current = (await savePendingRubricsOfExam(tx, actor.institute_id, exam.id)) ?? exam.rubric_version;
    const existing = await readPaperUnderLock(tx, actor.institute_id, exam.id);
    const { questions } = await acceptInSlices(QuestionsAdd, body, (parts) =>
      isRead(parts) ? addedProblems(existing, parts.questions) : [],
    );
    const paper = await finishInSlices(addedSteps({ mode: exam.mode, existing, questions }));
    if (paper.problems.length > 0) refuse(paper.problems);

    const place = { instituteId: actor.institute_id, examId: exam.id };
    const sectionIds = await addSections(tx, place, existing, paper);
    const added = await insertQuestions(tx, place, {
      questions: paper.questions,
      sectionIds,
      after: existing.lastQuestion,
    });
    const rubrics = added
      .filter(({ question }) => question.rubric != null || question.model_answer != null)
      .map(({ id, question }) => ({
        question_id: id,
        rubric: question.rubric ?? null,
        model_answer: question.model_answer ?? null,
      }));
    const version = current + (rubrics.length > 0 ? 1 : 0);
    await appendVersion(tx, place, version, rubrics);
    await recountPaper(tx, place, version);
    await auditPaper(
      tx,
      actor,
      exam.id,
      added.map(({ question }) => ({ before: null, after: question })),
      { mode: exam.mode, firstSection: existing.sections[0]?.name ?? null },
    );
    const stored = await readQuestions(tx, actor.institute_id, exam.id, {
      include: WHOLE,
      ids: added.map(({ id }) => id),
    });
    return { questions: stored.map(({ question }) => question), warnings: paper.warnings };
  });
