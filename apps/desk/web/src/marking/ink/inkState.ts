import type { Ink } from '@evaluation/rules/marked-page';

/*
 * Strokes that core has not stored yet, in the order in which they were made. An id is made once, in the browser, and
 * a removed stroke that comes back gets a new id: so a change that is sent again changes nothing.
 */

export type InkChange = { submission_id: string; id: string } & (
  | { kind: 'add'; ink: Ink }
  | { kind: 'remove' }
);
export type InkState = readonly InkChange[];

interface Stroke {
  id: string;
  ink: Ink;
}

/** The strokes of a copy as they will be when all changes are stored. */
export const withChanges = <S extends Stroke>(
  stored: readonly S[],
  changes: InkState,
  submissionId: string,
): (S | Stroke)[] => {
  const own = changes.filter((change) => change.submission_id === submissionId);
  const removed = new Set(own.filter(({ kind }) => kind === 'remove').map(({ id }) => id));
  const known = new Set(stored.map(({ id }) => id));
  const added = own.flatMap((change) =>
    change.kind === 'add' && !known.has(change.id) ? [{ id: change.id, ink: change.ink }] : [],
  );
  return [...stored, ...added].filter(({ id }) => !removed.has(id));
};

/** The first changes, all of one copy, that one call takes. Core adds before it removes. */
export const nextBatch = (state: InkState, most: number): InkState => {
  const [first] = state;
  const end = state.findIndex((change) => change.submission_id !== first?.submission_id);
  return state.slice(0, Math.min(most, end === -1 ? state.length : end));
};

export const withoutBatch = (state: InkState, batch: InkState): InkState => {
  const done = new Set(batch.map(({ kind, id }) => `${kind} ${id}`));
  return state.filter(({ kind, id }) => !done.has(`${kind} ${id}`));
};
