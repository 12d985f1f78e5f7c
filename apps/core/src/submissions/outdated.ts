import { sql, type RawBuilder } from 'kysely';

/**
 * What a changed rubric or model answer means for a graded live submission:
 * - `outdated`: a question that the AI marked has a new rubric or model answer since, and no teacher's mark.
 * - `teacher_marked`: only questions with a teacher's mark have changed. A new run would change no shown mark.
 * - `unaffected`: no question that the AI marked has changed. The AI does not mark questions left blank.
 * - `finalized`, `erased`: a re-evaluation is refused.
 * A rubric that was changed and changed back counts as changed.
 */
const VERDICTS = ['outdated', 'teacher_marked', 'unaffected', 'finalized', 'erased'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** An exam at a version of its rubrics. */
export interface ExamAtVersion {
  instituteId: string;
  examId: string;
  version: number;
}

/** SQL of the verdict on a submission `s` that `gradedBefore` selected. @param version the exam's rubric version */
export const verdictSql = (version: number): RawBuilder<Verdict> => sql<Verdict>`
  case
    when not ${hasChangedQuestion(version, sql`true`)} then 'unaffected'
    when s.erased_at is not null then 'erased'
    when s.finalized_at is not null then 'finalized'
    when ${hasChangedQuestion(version, isWithoutTeachersMark)} then 'outdated'
    else 'teacher_marked'
  end`;

/** Condition on submissions `s`: live and graded under an older version. */
export const gradedBefore = ({
  instituteId,
  examId,
  version,
}: ExamAtVersion): RawBuilder<boolean> => sql<boolean>`
  s.institute_id = ${instituteId} and s.exam_id = ${examId} and s.state = 'live'
  and s.status in ('graded', 'partially_graded') and s.rubric_version < ${version}`;

/** Condition on submissions `s` whose results have to be made again. */
export const isOutdated = (exam: ExamAtVersion): RawBuilder<boolean> => sql<boolean>`
  (${gradedBefore(exam)} and s.erased_at is null and s.finalized_at is null
    and ${hasChangedQuestion(exam.version, isWithoutTeachersMark)})`;

const isWithoutTeachersMark = sql<boolean>`not exists (
  select from reviews o
  where o.institute_id = s.institute_id and o.submission_id = s.id and o.question_id = r.question_id
    and o.application = 0)`;

/** Failed questions are included, because the model may be able to mark by the new rubric. */
const hasChangedQuestion = (version: number, where: RawBuilder<boolean>): RawBuilder<boolean> => sql<boolean>`
  exists (
    select from question_results r
    join rubric_versions v on v.institute_id = r.institute_id and v.question_id = r.question_id
      and v.source = 'client' and v.version > s.rubric_version and v.version <= ${version}
    where r.institute_id = s.institute_id and r.run_id = s.current_run_id
      and r.status in ('graded', 'failed') and r.source is distinct from 'auto' and ${where})`;
