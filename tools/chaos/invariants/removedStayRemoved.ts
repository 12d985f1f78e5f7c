import type { Observer } from '../site/observer.ts';
import type { Book } from '../clients/book.ts';

/** Submissions that clients deleted or replaced have that state, and all others are live. */
export const removedStayRemoved = async (observer: Observer, book: Book): Promise<string[]> => {
  const rows = await observer.query<{ id: string; state: string }>(
    `select id::text, state::text from submissions where institute_id = $1`,
    [book.instituteId],
  );
  return rows
    .filter(({ id, state }) => state !== (book.removed.get(id) ?? 'live'))
    .map(({ id, state }) => `${id} is ${state}, and clients read ${book.removed.get(id) ?? 'live'}`);
};
