import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../../command/accept.ts';
import { joinReview } from '../../guides/guideMarks.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Viewer } from '../../command/locks/visibleExams.ts';

/** An answer with a mark by the AI that no teacher has changed or confirmed. */
export interface OpenAnswer {
  submission_id: string;
  /** Typed answer, or what was read on the copy; cut to the length that was asked for. */
  text: string;
  awarded: number;
  max: number;
  confidence: number | null;
}

export interface QuestionOfExam {
  instituteId: string;
  examId: string;
  questionId: string;
}

/** @throws DomainFailure exam_not_found, not_found */
export const findQuestionOfExam = async (
  tx: Tx,
  viewer: Viewer,
  examId: string,
  questionId: string,
): Promise<QuestionOfExam> => {
  const exam = await findExam(tx, viewer, examId);
  const question = isUuid(questionId)
    ? await tx
        .selectFrom('questions')
        .select('id')
        .where('institute_id', '=', viewer.institute_id)
        .where('exam_id', '=', exam.id)
        .where('id', '=', questionId)
        .executeTakeFirst()
    : undefined;
  if (question === undefined) throw new DomainFailure('not_found');
  return { instituteId: viewer.institute_id, examId: exam.id, questionId: question.id };
};

const ORDERS = {
  id: sql`s.id`,
  sample: sql`md5(s.id::text), s.id`,
  confidence: sql`coalesce(v.confidence, r.confidence) nulls first, s.id`,
};

/**
 * Reads open answers to a question.
 * @param wanted.order `id`: by the ids of their submissions. `sample`: by a hash of the ids, so that the first answers
 * are a sample that does not depend on the time of submission. `confidence`: the least certain mark first
 * @param wanted.characters the text is cut to so many
 */
export const readOpenAnswers = async (
  tx: Tx,
  { instituteId, examId, questionId }: QuestionOfExam,
  wanted: {
    order: keyof typeof ORDERS;
    limit: number;
    characters: number;
    where?: RawBuilder<boolean>;
  },
): Promise<OpenAnswer[]> => {
  const { rows } = await sql<OpenAnswer>`
    select s.id as submission_id, left(r.extracted_answer, ${wanted.characters}) as text,
      coalesce(v.awarded, r.awarded)::float8 as awarded, r.max::float8 as max,
      coalesce(v.confidence, r.confidence)::float8 as confidence
    from submissions s
    join question_results r
      on r.institute_id = s.institute_id and r.run_id = s.current_run_id and r.question_id = ${questionId}
    ${joinReview}
    where s.institute_id = ${instituteId} and s.exam_id = ${examId} and s.state = 'live'
      and s.status in ('graded', 'partially_graded')
      and s.finalized_at is null and s.approved_at is null and s.erased_at is null
      and r.status = 'graded' and r.source = 'ai' and r.extracted_answer is not null
      and (v.application is null or v.application > 0)
      and ${wanted.where ?? sql<boolean>`true`}
    order by ${ORDERS[wanted.order]}
    limit ${wanted.limit}`.execute(tx);
  return rows;
};

/** Reads the newest answers whose marks a teacher has changed or confirmed. */
export const readMarkedTexts = async (
  tx: Tx,
  { instituteId, examId, questionId }: QuestionOfExam,
  wanted: { limit: number; characters: number },
): Promise<{ id: string; text: string }[]> => {
  const { rows } = await sql<{ id: string; text: string }>`
    select s.id, left(r.extracted_answer, ${wanted.characters}) as text
    from submissions s
    join question_results r
      on r.institute_id = s.institute_id and r.run_id = s.current_run_id and r.question_id = ${questionId}
    left join reviews o
      on o.institute_id = s.institute_id and o.submission_id = s.id and o.question_id = r.question_id
      and o.application = 0
    where s.institute_id = ${instituteId} and s.exam_id = ${examId} and s.state = 'live'
      and s.status in ('graded', 'partially_graded') and s.erased_at is null
      and r.source = 'ai' and r.extracted_answer is not null
      and (o.submission_id is not null or s.approved_at is not null)
    order by coalesce(o.edited_at, s.approved_at) desc, s.id
    limit ${wanted.limit}`.execute(tx);
  return rows;
};
