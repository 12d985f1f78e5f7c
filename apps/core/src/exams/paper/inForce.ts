import { sql, type RawBuilder } from 'kysely';

/** White space as in JavaScript's `trim`; a model answer of white space alone counts as none. */
export const WHITE_SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/**
 * SQL of the rubric that applies to a question at a version: the last row up to that version
 * (docs/architecture.md#rubrics). If the client's row is empty or missing, the generated rubric of that version applies
 * (grading/runs/generateRubric.ts), but only while the question has the text from which it was generated.
 * @param version SQL of the version, in a query whose `questions` are called `q`
 * @returns SQL of at most one row `{version, source, rubric, model_answer}`, for `left join lateral … on true`
 */
export const rubricInForce = (version: RawBuilder<unknown>) => sql`(
  select v.version, v.source, v.rubric, v.model_answer from rubric_versions v
  where v.question_id = q.id and v.version <= ${version}
    and case v.source when 'client' then true
      else v.text_sha256 = encode(sha256(convert_to(q.text, 'UTF8')), 'hex') end
  order by v.version desc, (v.rubric is null and btrim(coalesce(v.model_answer, ''), ${WHITE_SPACE}) = ''), v.source
  limit 1)`;
