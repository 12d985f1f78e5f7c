import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { CompactQuestion, Exam, Warning } from '@evaluation/rest-contract/schemas';
import { isUuid } from '../command/accept.ts';
import type { Viewer } from '../command/locks/visibleExams.ts';
import { selectExams, showExams, type ExamRow } from './representation.ts';

interface ExamWithQuestions extends ExamRow {
  questions: (CompactQuestion & { options: CompactQuestion['options'] | null })[] | null;
}

/**
 * Reads an exam as in the API, deleted exams included. Exam and questions are read in one statement, so that the totals
 * match the questions.
 * @param options.dashboardUrl base of `dashboard_url`
 * @param options.warnings warnings of this request; they precede the warnings that follow from the exam
 * @throws DomainFailure exam_not_found
 */
export const readExam = async (
  tx: Tx,
  viewer: Viewer,
  examId: string,
  options: { dashboardUrl: string; warnings?: readonly Warning[] },
): Promise<Exam> => {
  if (!isUuid(examId)) throw new DomainFailure('exam_not_found');
  const { rows } = await selectExams<ExamWithQuestions>(viewer, {
    where: sql<boolean>`e.id = ${examId}`,
    columns: sql`,
      (select json_agg(json_build_object(
          'id', q.id, 'label', q.label, 'section', s.name, 'max_marks', q.max_marks::float8,
          'options', (select json_agg(json_build_object('label', o.label, 'option_id', o.id) order by o.position)
                        from question_options o where o.question_id = q.id)) order by q.position)
         from questions q join sections s on s.id = q.section_id
        where q.institute_id = e.institute_id and q.exam_id = e.id) as questions`,
  }).execute(tx);
  const [row] = rows;
  const [item] = await showExams(tx, viewer.institute_id, rows, options.dashboardUrl);
  if (row === undefined || item === undefined) throw new DomainFailure('exam_not_found');
  return {
    ...item,
    questions: (row.questions ?? []).map(({ options: choices, ...question }) =>
      choices === null ? question : { ...question, options: choices },
    ),
    warnings: [...(options.warnings ?? []), ...item.warnings],
  };
};
