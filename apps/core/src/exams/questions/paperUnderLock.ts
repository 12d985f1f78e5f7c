import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Paper, ExistingPaper } from '@evaluation/rules';
import { newId } from '../../command/newId.ts';

/** Stored paper, read under the exam's lock, to check a change against. */
interface ReadPaper extends ExistingPaper {
  sectionIds: string[];
  /** Positions of the last section and question; 0 if there are none. */
  lastSection: number;
  lastQuestion: number;
}

/** @param except id of a question to leave out: the one that is being edited */
export const readPaperUnderLock = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  except: string | null = null,
): Promise<ReadPaper> => {
  const sections = await tx
    .selectFrom('sections')
    .select(['id', 'name', 'position', 'sent_order'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .orderBy('position')
    .execute();
  const questions = await tx
    .selectFrom('questions')
    .select(['id', 'label', 'position', 'section_id'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .orderBy('position')
    .execute();
  const stay = questions.filter(({ id }) => id !== except);
  const filled = new Set(stay.map(({ section_id }) => section_id));
  return {
    sections: sections.map(({ name }) => ({ name })),
    sectionIds: sections.map(({ id }) => id),
    // Only declared sections have a `sent_order`.
    sectionsDeclared: sections.some(({ sent_order }) => sent_order !== null),
    labels: stay.map(({ label }) => label),
    ...(except === null
      ? {}
      : { occupied: sections.filter(({ id }) => filled.has(id)).map(({ name }) => name) }),
    lastSection: sections.at(-1)?.position ?? 0,
    lastQuestion: questions.at(-1)?.position ?? 0,
  };
};

/** Inserts the sections that `paper` has in addition to the stored ones. @returns the ids of all sections, by index */
export const addSections = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  existing: ReadPaper,
  paper: Paper,
): Promise<string[]> => {
  const added = paper.sections.slice(existing.sections.length).map(({ name }, index) => ({
    id: newId(),
    institute_id: exam.instituteId,
    exam_id: exam.examId,
    name,
    position: existing.lastSection + index + 1,
  }));
  if (added.length > 0) await tx.insertInto('sections').values(added).execute();
  return [...existing.sectionIds, ...added.map(({ id }) => id)];
};

/** Deletes sections without questions, unless they were declared. */
export const dropEmptySections = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
): Promise<void> => {
  await sql`
    delete from sections s
    where s.institute_id = ${exam.instituteId} and s.exam_id = ${exam.examId} and s.sent_order is null
      and not exists (select from questions q where q.exam_id = s.exam_id and q.section_id = s.id)`.execute(
    tx,
  );
};

/** Recomputes the totals from at most 200 questions, so that they cannot drift. Also moves the exam's `updated_at`. */
export const recountPaper = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  rubricVersion: number,
): Promise<void> => {
  await sql`
    update exams e set total_marks = paper.marks, question_count = paper.questions, rubric_version = ${rubricVersion}
    from (select coalesce(sum(q.max_marks), 0) as marks, count(*)::int as questions
            from questions q where q.institute_id = ${exam.instituteId} and q.exam_id = ${exam.examId}) paper
    where e.institute_id = ${exam.instituteId} and e.id = ${exam.examId}`.execute(tx);
};
