/*
 * A pass: a client that follows a list reads it from `updated_since` to its end, page by page. It starts the next pass
 * 120 s before the newest `updated_at` that it processed. A transaction sets `updated_at` and commits up to 30 s later
 * (`transaction_timeout`), so a row can appear behind the cursor. A pass therefore shows no row that was stamped more
 * than PASS_SECONDS after its start, however slowly the client reads and however fast rows change. Every change is
 * seen:
 *
 * - A row that was not committed when the pass started was stamped at most 30 s before the start, or later. The newest
 *   row of the pass was stamped at most 60 s after the start. So the next pass begins at least 60 s before the start of
 *   this one, and reads that row.
 * - A row that was committed when the pass started is shown by the pass, unless it changes first. Then its new stamp is
 *   later than the start, and the next pass begins before it.
 *
 * The bound lies after the start of the pass, so that a client that reads a list within a minute also sees rows that
 * change meanwhile, as in a list without passes.
 */
const PASS_SECONDS = 60;

/** Returns the latest `updated_at` of a pass. Both times are ISO 8601 with milliseconds, by the database's clock. */
export const endOfPass = (startedAt: string): string =>
  new Date(Date.parse(startedAt) + PASS_SECONDS * 1000).toISOString();
