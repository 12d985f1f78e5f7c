import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { Rubric } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { isHeldBy, lostRun, type HeldRun } from '../../command/locks/heldRun.ts';

/*
 * Material that a run is marked by: the paper, pinned at the first claim, and one row for each rubric generated since.
 * A paper may be megabytes, so the read of one question transfers only that question.
 */

const PinnedQuestion = z.object({
  id: z.uuid(),
  type: z.string(),
  text: z.string(),
  max_marks: z.number(),
  model_answer: z.string().nullable(),
  rubric: Rubric.nullable(),
});
export type PinnedQuestion = z.infer<typeof PinnedQuestion> & {
  /** Version of the exam's rubrics at the first claim. */
  rubricVersion: number;
};

/**
 * @returns null if the question is not on the run's paper
 * @throws DomainFailure conflict if the run is not held any more
 */
export const readPinnedQuestion = async (
  tx: Tx,
  held: HeldRun,
  questionId: string,
): Promise<PinnedQuestion | null> => {
  const { rows } = await sql<{ question: unknown; rubric: unknown; rubric_version: number | null }>`
    select jsonb_path_query_first(r.paper, '$.questions[*] ? (@.id == $id)', jsonb_build_object('id', ${questionId}::text))
        as question,
      m.rubric, r.rubric_version
    from runs r
    left join run_rubrics m
      on m.institute_id = r.institute_id and m.run_id = r.id and m.question_id = ${questionId}::uuid
    where r.institute_id = ${held.institute_id} and r.id = ${held.run_id}
      and ${isHeldBy(held, 'r')}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw lostRun();
  if (row.question === null) return null;
  const question = PinnedQuestion.parse(row.question);
  const made = row.rubric === null ? null : Rubric.parse(row.rubric);
  return { ...question, rubric: question.rubric ?? made, rubricVersion: row.rubric_version ?? 0 };
};

/** Pins a generated rubric on the run. The first one stays; later calls change nothing. */
export const pinRubric = async (tx: Tx, held: HeldRun, questionId: string, rubric: Rubric): Promise<void> => {
  await tx
    .insertInto('run_rubrics')
    .values({
      institute_id: held.institute_id,
      run_id: held.run_id,
      question_id: questionId,
      rubric: json(rubric),
    })
    .onConflict((conflict) => conflict.columns(['run_id', 'question_id']).doNothing())
    .execute();
};

export const withPinnedRubrics = async <Q extends { id: string; rubric: Rubric | null }>(
  tx: Tx,
  run: { institute_id: string; run_id: string },
  questions: readonly Q[],
): Promise<Q[]> => {
  const rows = await tx
    .selectFrom('run_rubrics')
    .select(['question_id', 'rubric'])
    .where('institute_id', '=', run.institute_id)
    .where('run_id', '=', run.run_id)
    .execute();
  const made = new Map(rows.map(({ question_id, rubric }) => [question_id, Rubric.parse(rubric)]));
  return questions.map((question) => ({
    ...question,
    rubric: question.rubric ?? made.get(question.id) ?? null,
  }));
};
