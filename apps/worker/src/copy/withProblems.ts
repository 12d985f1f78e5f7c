/**
 * Adds the corrected problems of the model's output to the first item of a record, so that later deliveries of the run
 * get them.
 */
export const withProblems = <T extends object>(
  made: readonly T[],
  problems: string[] | undefined,
): (T & { problems?: string[] | undefined })[] =>
  made.map((each, index) => (index === 0 && problems !== undefined ? { ...each, problems } : each));
