import { sql } from 'kysely';

/**
 * Condition on `question_results r`: the answer does not try to influence the grader. An answer that does is not an
 * example: its mark says nothing about other answers, and a model must not read it beside them.
 */
export const isTrusted = sql<boolean>`not 'possible_injection' = any(r.review_reasons)`;
