import { createHash } from 'node:crypto';
import type { Tx } from '@evaluation/database';
import type { Exam, Question } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { findExam } from '../command/locks/findExam.ts';
import { savePendingRubricsOfExam } from './paper/savePending.ts';
import { asSent } from './questions/questionFields.ts';
import { readQuestions, WHOLE, type StoredQuestion } from './questions/readQuestions.ts';
import type { Services } from '../command/services.ts';
import { readSections, type StoredSection } from './editSections.ts';
import { readExamFields, type ExamFields } from './examFields.ts';
import { readExam } from './readExam.ts';

/** Parts of an exam that its form at the desk can change. */
export interface StoredForm {
  fields: ExamFields;
  sections: StoredSection[];
  questions: StoredQuestion[];
}

export const readStoredForm = async (tx: Tx, instituteId: string, examId: string): Promise<StoredForm> => ({
  fields: await readExamFields(tx, instituteId, examId),
  sections: await readSections(tx, instituteId, examId),
  questions: await readQuestions(tx, instituteId, examId, { include: WHOLE }),
});

/** Submissions, marks and generated rubrics do not change it, unlike `updated_at` of the exam. */
export const revisionOf = ({ fields, sections, questions }: StoredForm): string => {
  const { status: _, live_submissions: __, live_unfinalized: ___, ...own } = fields;
  const content = [
    own,
    sections.map(({ name, order, isDeclared }) => [name, order, isDeclared]),
    questions.map(({ question }) => [question.id, asSent(question)]),
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
};

export interface ExamForm {
  exam: Exam;
  questions: Question[];
  /** False if the sections are derived from the section names of the questions. */
  sections_declared: boolean;
  /** To be sent with the save, which is refused if the exam has changed. */
  revision: string;
}

/** @throws DomainFailure exam_not_found, service_unavailable while rubrics cannot be saved */
export const showExamForm = (services: Services, actor: Actor, examId: string): Promise<ExamForm> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { id } = await findExam(tx, actor, examId);
    await savePendingRubricsOfExam(tx, actor.institute_id, id);
    const stored = await readStoredForm(tx, actor.institute_id, id);
    return {
      exam: await readExam(tx, actor, id, { dashboardUrl: services.settings.dashboardUrl }),
      questions: stored.questions.map(({ question }) => question),
      sections_declared: stored.sections.some(({ isDeclared }) => isDeclared),
      revision: revisionOf(stored),
    };
  });
