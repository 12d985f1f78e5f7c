import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { brokenConstraint, json, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { ExamCreate, type Exam } from '@evaluation/rest-contract/schemas';
import { addUp, checkPaper, labelKey, type Paper } from '@evaluation/rules';
import type { Actor } from '@evaluation/signed-actor';
import { accept, refuse } from '../accept.ts';
import { registerCandidates, repeatedCandidates, upsertCandidates } from '../candidates/register.ts';
import type { Services } from '../services.ts';
import { checkReady } from './openChecks.ts';
import { readExam } from './readExam.ts';

/**
 * Creates an exam with its paper and its candidates, all or nothing (spec 2.1, 4.2).
 * @throws DomainFailure validation_failed, exam_exists, exam_not_ready and the errors of the rules of a paper
 */
export const createExam = async (services: Services, actor: Actor, body: unknown): Promise<Exam> => {
  const exam = accept(ExamCreate, body);
  const paper = checkPaper({
    mode: exam.mode,
    sections: exam.sections ?? null,
    questions: exam.questions ?? [],
  });
  const problems = [...paper.problems, ...repeatedCandidates(exam.candidates ?? [], 'candidates')];
  if (problems.length > 0) refuse(problems);
  if (exam.open === true) checkReady({ questions: paper.questions.length });

  const id = randomUUID();
  const work = async (tx: Tx): Promise<Exam> => {
    await insertExam(tx, actor.institute_id, id, exam, paper);
    await insertPaper(tx, actor.institute_id, id, paper);
    const candidates = await upsertCandidates(tx, actor.institute_id, exam.candidates ?? []);
    await registerCandidates(tx, actor.institute_id, id, [...candidates.values()]);
    return readExam(tx, actor.institute_id, id, {
      dashboardUrl: services.settings.dashboardUrl,
      warnings: paper.warnings,
    });
  };
  try {
    return await services.database.inTenant(actor.institute_id, work);
  } catch (error) {
    if (brokenConstraint(error) !== 'exams_external_ref' || exam.external_ref == null) throw error;
    return refuseTaken(services, actor, exam.external_ref);
  }
};

/** The unique index decides who was first, so two calls at once cannot both succeed. */
const refuseTaken = async (services: Services, actor: Actor, externalRef: string): Promise<never> => {
  const taken = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('exams')
      .select('id')
      .where('institute_id', '=', actor.institute_id)
      .where('source', '=', 'api')
      .where('external_ref', '=', externalRef)
      .where('status', '<>', 'deleted')
      .executeTakeFirst(),
  );
  throw taken === undefined
    ? new DomainFailure('conflict', {
        message: 'Another exam with this external_ref was deleted meanwhile. Try again.',
      })
    : new DomainFailure('exam_exists', { details: { exam_id: taken.id } });
};

const insertExam = (tx: Tx, instituteId: string, id: string, exam: ExamCreate, paper: Paper) =>
  tx
    .insertInto('exams')
    .values({
      id,
      institute_id: instituteId,
      external_ref: exam.external_ref ?? null,
      title: exam.title,
      mode: exam.mode,
      status: exam.open === true ? 'open' : 'draft',
      conducted_on:
        exam.conducted_on ?? sql<string>`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD')`,
      subject: exam.subject ?? null,
      level: exam.level ?? 'school',
      board: exam.board ?? null,
      class: exam.class ?? null,
      instructions: exam.instructions ?? null,
      answer_language: exam.answer_language ?? 'en',
      feedback_language: exam.feedback_language ?? 'en',
      blind: exam.blind ?? false,
      rubric_version: hasMarkingMaterial(paper) ? 1 : 0,
      total_marks: String(addUp(paper.questions.map(({ question }) => question.max_marks))),
      question_count: paper.questions.length,
    })
    .execute();

const hasMarkingMaterial = (paper: Paper): boolean =>
  paper.questions.some(({ question }) => question.rubric != null || question.model_answer != null);

/** Sections, questions, options and the first version of the rubrics: one statement each, whatever their number. */
const insertPaper = async (tx: Tx, instituteId: string, examId: string, paper: Paper): Promise<void> => {
  const sections = paper.sections.map(({ name }, position) => ({
    id: randomUUID(),
    institute_id: instituteId,
    exam_id: examId,
    name,
    position: position + 1,
  }));
  if (sections.length > 0) await tx.insertInto('sections').values(sections).execute();
  if (paper.questions.length === 0) return;

  const questions = paper.questions.map((entry, position) => ({
    ...entry,
    id: randomUUID(),
    position: position + 1,
  }));
  await tx
    .insertInto('questions')
    .values(
      questions.map(({ id, position, question, section, negativeMarks }) => ({
        id,
        institute_id: instituteId,
        exam_id: examId,
        section_id: sections[section]?.id ?? '',
        position,
        label: question.label,
        label_key: labelKey(question.label),
        parent_label: question.parent_label ?? null,
        type: question.type,
        text: question.text,
        max_marks: String(question.max_marks),
        negative_marks: String(negativeMarks),
        correct_options: question.correct_options ?? [],
        answer: question.answer == null ? null : json(question.answer),
        word_limit: question.word_limit ?? null,
        expects_diagram: question.expects_diagram ?? null,
        assess_language: question.assess_language ?? null,
        tags: question.tags == null ? null : json(question.tags),
        external_id: question.external_id ?? null,
      })),
    )
    .execute();

  const options = questions.flatMap(({ id, question }) =>
    (question.options ?? []).map(({ label, text }, position) => ({
      id: randomUUID(),
      question_id: id,
      position: position + 1,
      label,
      text,
    })),
  );
  if (options.length > 0) {
    await sql`
      insert into question_options (id, institute_id, question_id, position, label, text)
      select id, ${instituteId}, question_id, position, label, text
      from jsonb_to_recordset(${JSON.stringify(options)}::jsonb)
        as sent(id uuid, question_id uuid, position int, label text, text text)`.execute(tx);
  }

  const rubrics = questions.filter(
    ({ question }) => question.rubric != null || question.model_answer != null,
  );
  if (rubrics.length > 0) {
    await tx
      .insertInto('rubric_versions')
      .values(
        rubrics.map(({ id, question }) => ({
          institute_id: instituteId,
          exam_id: examId,
          question_id: id,
          version: 1,
          rubric: question.rubric == null ? null : json(question.rubric),
          model_answer: question.model_answer ?? null,
        })),
      )
      .execute();
  }
};
