/**
 * Bounds of what a worker records of a question, in UTF-16 units. The grader cuts its texts to them where it makes a
 * result, and core refuses longer ones: workers read untrusted files. Raise a bound in core one release earlier than in
 * the grader, because a newer worker may record in an older core.
 */
export const RECORD_BOUNDS = {
  extractedAnswer: 60_000,
  feedback: 4000,
  criterionName: 1000,
  reason: 2000,
  quotation: 2000,
  annotation: 500,
  /** A rubric has at most 50 criteria. */
  criteria: 100,
  annotations: 200,
} as const;

/** Cuts a text, with an ellipsis in place of its end. */
export const atMost = (most: number, text: string): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
