import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { ExamCreate, type Exam } from '@evaluation/rest-contract/schemas';
import {
  addUp,
  isRead,
  NEGATIVE_MARKS_IGNORED,
  paperProblems,
  paperSteps,
  type Paper,
  type Parts,
} from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { finishInSlices } from '@evaluation/platform/turns';
import { acceptInSlices, refuse } from '../command/accept.ts';
import { audit } from '../command/audit.ts';
import { readExamDefaults } from '../people/institutes/instituteSettings.ts';
import { registerCandidates } from './candidates/register.ts';
import { repeatedCandidates, upsertCandidates } from './candidates/upsert.ts';
import { setFirstTarget } from '../guides/target.ts';
import { sourceOf } from '../command/locks/visibleExams.ts';
import { newId } from '../command/newId.ts';
import { insertQuestions } from './questions/insertQuestions.ts';
import { saveFirstRubrics } from './paper/savePending.ts';
import type { Services } from '../command/services.ts';
import { examFieldsOf } from './examFields.ts';
import { withExternalRef } from './externalRef.ts';
import { checkReady } from './openChecks.ts';
import { readExam } from './readExam.ts';

/**
 * Creates an exam with paper and candidates in one transaction (docs/api/exams.md#fields). An exam of staff gets the
 * defaults of the institute's settings. The command does not wait for a locked price or rubric table: see `quote.ts`
 * and `exams/paper/savePending.ts`.
 * @param options.isSample the exam is for trying the service (`submissions/sampleCopies.ts`)
 * @throws DomainFailure validation_failed, exam_exists, exam_not_ready and the errors of the rules of a paper
 */
export const createExam = async (
  services: Services,
  actor: Actor,
  body: unknown,
  { isSample = false } = {},
): Promise<Exam> => {
  const exam = await acceptInSlices(ExamCreate, body, tiedProblems);
  const paper = await finishInSlices(
    paperSteps({ mode: exam.mode, sections: exam.sections ?? null, questions: exam.questions ?? [] }),
  );
  const problems = [...paper.problems, ...repeatedCandidates(exam.candidates ?? [])];
  if (problems.length > 0) refuse(problems);
  if (exam.open === true) checkReady({ questions: paper.questions.length });

  const id = newId();
  return withExternalRef(services, actor, exam.external_ref, () =>
    services.database.inTenant(actor.institute_id, async (tx) => {
      const defaults = actor.staff === undefined ? null : await readExamDefaults(tx, actor.institute_id);
      await insertExam(tx, actor, id, { ...exam, blind: exam.blind ?? defaults?.blind }, paper, isSample);
      if (defaults !== null) {
        const place = { instituteId: actor.institute_id, examId: id };
        await setFirstTarget(tx, place, defaults.guide_target);
      }
      await insertPaper(tx, actor.institute_id, id, paper);
      const candidates = await upsertCandidates(tx, actor.institute_id, exam.candidates ?? []);
      await registerCandidates(
        tx,
        actor.institute_id,
        id,
        candidates.map((candidate) => candidate.id),
      );
      await audit(tx, actor, [
        {
          action: 'exam_create',
          exam_id: id,
          after: {
            title: exam.title,
            mode: exam.mode,
            status: exam.open === true ? 'open' : 'draft',
            questions: paper.questions.length,
          },
        },
      ]);
      return readExam(tx, actor, id, {
        dashboardUrl: services.settings.dashboardUrl,
        // `readExam` derives the other warnings from the stored exam.
        warnings: paper.warnings.filter(({ code }) => code === NEGATIVE_MARKS_IGNORED),
      });
    }),
  );
};

/** Rules that tie fields together, on the fields that could be parsed. */
const tiedProblems = (parts: Parts<ExamCreate>): Problem[] =>
  isRead(parts) ? [...paperProblems(parts), ...repeatedCandidates(parts.candidates ?? [])] : [];

const insertExam = (tx: Tx, actor: Actor, id: string, exam: ExamCreate, paper: Paper, isSample: boolean) =>
  tx
    .insertInto('exams')
    .values({
      id,
      institute_id: actor.institute_id,
      source: sourceOf(actor),
      ...examFieldsOf(exam),
      status: exam.open === true ? 'open' : 'draft',
      conducted_on:
        exam.conducted_on ?? sql<string>`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD')`,
      level: exam.level ?? 'school',
      answer_language: exam.answer_language ?? 'en',
      feedback_language: exam.feedback_language ?? 'en',
      blind: exam.blind ?? false,
      total_marks: String(addUp(paper.questions.map(({ question }) => question.max_marks))),
      question_count: paper.questions.length,
      is_sample: isSample,
    })
    .execute();

/**
 * Inserts sections, questions, options and the first version of the rubrics, with one statement each. Rubrics come
 * last, and the exam gets their version only if they could be saved.
 */
const insertPaper = async (tx: Tx, instituteId: string, examId: string, paper: Paper): Promise<void> => {
  const sections = paper.sections.map(({ name, order }, position) => ({
    id: newId(),
    institute_id: instituteId,
    exam_id: examId,
    name,
    position: position + 1,
    sent_order: order === undefined ? null : String(order),
  }));
  if (sections.length > 0) await tx.insertInto('sections').values(sections).execute();
  const questions = await insertQuestions(
    tx,
    { instituteId, examId },
    { questions: paper.questions, sectionIds: sections.map((section) => section.id), after: 0 },
  );
  const rubricVersion = await saveFirstRubrics(
    tx,
    instituteId,
    examId,
    questions
      .filter(({ question }) => question.rubric != null || question.model_answer != null)
      .map(({ id, question }) => ({
        question_id: id,
        rubric: question.rubric ?? null,
        model_answer: question.model_answer ?? null,
      })),
  );
  if (rubricVersion === 0) return;
  await tx
    .updateTable('exams')
    .set({ rubric_version: rubricVersion })
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .execute();
};
