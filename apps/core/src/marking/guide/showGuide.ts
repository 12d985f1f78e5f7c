import type { Actor } from '@evaluation/platform/signed-actor';
import { readAudit, type AuditCounts } from '../../guides/passingAudit.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';
import { latestApplication, shownApplication, type Application } from './applications.ts';
import { readGuideSettings } from './settings.ts';

interface ShownGuide {
  exam_id: string;
  mode: 'off' | 'suggest' | 'apply';
  target: number;
  /** Time when the audit fell below the target and passing stopped; null while marks may pass. */
  passing_stopped_at: string | null;
  /**
   * Audited marks of the application in force: the number on which a teacher has decided, and the number that agreed.
   */
  audit: AuditCounts;
  /** Number of the application in force. */
  in_force: number | null;
  /** The latest preview or application. */
  application: Application | null;
  questions: { question_id: string; label: string; examples: number; version: number | null }[];
}

/** @throws DomainFailure exam_not_found */
export const showGuide = (services: Services, actor: Actor, examId: string): Promise<ShownGuide> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const exam = await findExam(tx, actor, examId);
    const settings = await readGuideSettings(tx, instituteId, exam.id);
    const versions = await ensureVersions(tx, instituteId, exam.id);
    const questions = await tx
      .selectFrom('questions')
      .select(['id', 'label'])
      .where('institute_id', '=', instituteId)
      .where('exam_id', '=', exam.id)
      .where('type', '=', 'long_answer')
      .orderBy('position')
      .execute();
    const latest = await latestApplication(tx, instituteId, exam.id);
    return {
      exam_id: exam.id,
      ...settings,
      audit: await readAudit(tx, instituteId, exam.id),
      application: latest === null ? null : shownApplication(latest),
      questions: questions.map(({ id, label }) => ({
        question_id: id,
        label,
        examples: versions.get(id)?.examples ?? 0,
        version: versions.get(id)?.version ?? null,
      })),
    };
  });
