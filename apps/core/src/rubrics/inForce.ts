import { sql, type RawBuilder } from 'kysely';

/**
 * What marks a question at a version of its exam's rubrics: the last row up to it (design 3.12). A client's row says
 * what the client set; one that sets nothing clears, and lets a generated rubric of the same or a later version stand
 * in. Of one version a client's rubric beats a generated one.
 * @returns SQL of a row `{version, source, rubric, model_answer}`, or none: for `left join lateral … on true`
 */
export const rubricInForce = (questionId: RawBuilder<unknown>, version: RawBuilder<unknown>) => sql`(
  select v.version, v.source, v.rubric, v.model_answer from rubric_versions v
  where v.question_id = ${questionId} and v.version <= ${version}
  order by v.version desc, (v.rubric is null and v.model_answer is null), v.source
  limit 1)`;
