/* Headings of the tables of results, written by the desk's server and known to the page's importer. */

export const CANDIDATE_HEADINGS = ['Candidate', 'Roll number', 'Name', 'Section or class'] as const;

export const STATE_HEADINGS = ['Status', 'Needs review', 'Final'] as const;

/** True for a table of results: its other columns are no part of a candidate. */
export const isResultsTable = (headings: readonly string[]): boolean =>
  [...CANDIDATE_HEADINGS, ...STATE_HEADINGS].every((heading) => headings.includes(heading));
