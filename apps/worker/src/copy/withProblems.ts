/**
 * What came of a call as it is recorded: what was wrong with the model's output and was put right stands with the first of
 * it, so that it is known again when the run is delivered again. Workers of the release before, which know nothing of it,
 * read such a record all the same, and this one reads theirs.
 * @param problems `Answered.problems` of the call
 */
export const withProblems = <T extends object>(
  made: readonly T[],
  problems: string[] | undefined,
): (T & { problems?: string[] | undefined })[] =>
  made.map((each, index) => (index === 0 && problems !== undefined ? { ...each, problems } : each));
