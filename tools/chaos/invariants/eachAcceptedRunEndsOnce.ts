import type { Observer } from '../site/observer.ts';
import type { Book } from '../clients/book.ts';

/** Compares the runs in the database with the `202`s that clients got: none lost, none made twice, each ended. */
export const eachAcceptedRunEndsOnce = async (observer: Observer, book: Book): Promise<string[]> => {
  const rows = await observer.query<{ submission_id: string; attempt: number; status: string }>(
    `select submission_id::text, attempt, status::text from runs where institute_id = $1`,
    [book.instituteId],
  );
  const nameOf = (submissionId: string, attempt: number): string => `run ${attempt} of ${submissionId}`;
  const found = new Map(rows.map((row) => [nameOf(row.submission_id, row.attempt), row.status]));
  const accepted = new Set(book.accepted.map(({ submissionId, attempt }) => nameOf(submissionId, attempt)));
  return [
    ...[...accepted].filter((name) => !found.has(name)).map((name) => `${name} was accepted and is lost`),
    ...[...found.keys()].filter((name) => !accepted.has(name)).map((name) => `${name} was never accepted`),
    ...[...found]
      .filter(([, status]) => !['completed', 'failed', 'cancelled'].includes(status))
      .map(([name, status]) => `${name} is stuck: ${status}`),
    ...(accepted.size === book.accepted.length ? [] : ['one run was accepted twice']),
  ];
};
