import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import {
  GUIDE_CONSTANTS,
  MODEL_GUIDE_CONSTANTS,
  type ExampleOfVersion,
  type GuideConstants,
} from '@evaluation/guide';
import { decidedResults, isDecidedResult, isTrusted } from './decidedResults.ts';

/** Most examples of a guide: the newest decisions. The time of a fit grows with the cube of their number. */
const MOST_OF_A_GUIDE = 200;

export interface ExamplesOfQuestion {
  examples: ExampleOfVersion[];
  /** Constants of the guide. They limit its marks if a model gave one of the examples' marks. */
  constants: GuideConstants;
}

/**
 * Reads the examples of all long-answer questions of an exam, without texts, in one statement. An example is the
 * result of a live, graded submission whose mark a teacher has overridden, or confirmed by approving the submission.
 * Answers that may address the grader are left out. `grader` is the grader's mark, not a guide's. Examples are in the
 * order of their submissions.
 * @returns examples by question; questions without an example are absent
 */
export const readExamples = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<Map<string, ExamplesOfQuestion>> => {
  const { rows } = await sql<Omit<ExampleOfVersion, 'grader' | 'teacher' | 'max'> & Marks>`
    select q.id as question_id, x.*
    from questions q
    cross join lateral (
      select s.id as submission_id, r.run_id, r.awarded as grader,
        coalesce(d.awarded, r.awarded) as teacher, r.max, run.grader ->> 'provider' = 'baseline' as by_baseline,
        encode(sha256(convert_to(r.extracted_answer, 'UTF8')), 'hex') as sha256
      from ${decidedResults(instituteId, MOST_OF_A_GUIDE)}
      join runs run on run.institute_id = ${instituteId} and run.id = r.run_id
      where ${isDecidedResult} and r.max > 0 and btrim(r.extracted_answer) <> '' and ${isTrusted}
      order by d.decided_at desc, s.id limit ${MOST_OF_A_GUIDE}
    ) x
    where q.institute_id = ${instituteId} and q.exam_id = ${examId} and q.type = 'long_answer'
    order by q.id, x.submission_id`.execute(tx);
  return new Map(
    [...Map.groupBy(rows, ({ question_id }) => question_id)].map(([questionId, ofQuestion]) => [
      questionId,
      {
        examples: ofQuestion.map(({ submission_id, run_id, grader, teacher, max, sha256 }) => ({
          submission_id,
          run_id,
          grader: Number(grader),
          teacher: Number(teacher),
          max: Number(max),
          sha256,
        })),
        constants: ofQuestion.every(({ by_baseline }) => by_baseline === true)
          ? GUIDE_CONSTANTS
          : MODEL_GUIDE_CONSTANTS,
      },
    ]),
  );
};

interface Marks {
  question_id: string;
  grader: string;
  teacher: string;
  max: string;
  by_baseline: boolean | null;
}
