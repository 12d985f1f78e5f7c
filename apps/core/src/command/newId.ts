import { randomUUIDv7 } from 'node:crypto';

declare module 'node:crypto' {
  /** Node 24.16 has it; `@types/node` does not know it yet. */
  // oxlint-disable-next-line no-shadow -- the declaration extends the module that is imported above.
  export function randomUUIDv7(): string;
}

/**
 * Id of a new row. It begins with the time in milliseconds, so new rows enter an index at its end (decision 067). The
 * other 74 bits are random. Ids are opaque to clients.
 */
export const newId = (): string => randomUUIDv7();
