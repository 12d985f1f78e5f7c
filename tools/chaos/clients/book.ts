/** Answers that the clients of a run got, for the checks at its end. */
export interface Book {
  instituteId: string;
  /** Each `202`: one run. */
  accepted: { submissionId: string; attempt: number }[];
  /** Marks by label that each submission must have, teachers' marks included. */
  marks: Map<string, Record<string, number>>;
  /** Submissions that a client removed: by a replacement, or by a delete or cancel. */
  removed: Map<string, 'replaced' | 'deleted'>;
  /** Number of finished scenarios, by name. */
  finishedScenarios: Map<string, number>;
  /** Answers that no documented rule explains. */
  wrong: string[];
}

export const newBook = (instituteId: string): Book => ({
  instituteId,
  accepted: [],
  marks: new Map(),
  removed: new Map(),
  finishedScenarios: new Map(),
  wrong: [],
});
