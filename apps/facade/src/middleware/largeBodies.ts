import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainFailure } from '@evaluation/rest-contract/errors';

/** Bodies up to this are not counted: many of them fit. */
export const SMALL_BYTES = 1024 * 1024;
/** What a body counts as until it is read that is sent in chunks of no declared length. */
const UNDECLARED_BYTES = 8 * SMALL_BYTES;

/**
 * Large bodies in hand, together: parsed they take several times as much memory, and a few at once would end the process
 * with everything else that it answers. A body is in hand from its head until its answer is sent or its client is gone.
 * Both throw DomainFailure service_unavailable (503 with Retry-After) when there is no room; one alone always has.
 */
export interface LargeBodies {
  /** Before it is read. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** When it is read, which tells how large it is. */
  isRead(response: ServerResponse, bytes: number): void;
}

/** @param maxBytes of all of them */
export const largeBodies = (maxBytes: number): LargeBodies => {
  const held = new Map<ServerResponse, number>();
  const hold = (response: ServerResponse, bytes: number): void => {
    const before = held.get(response) ?? 0;
    const others = [...held.values()].reduce((sum, each) => sum + each, 0) - before;
    if (bytes > before && others > 0 && others + bytes > maxBytes) {
      throw new DomainFailure('service_unavailable');
    }
    if (!held.has(response)) response.once('close', () => held.delete(response));
    held.set(response, bytes);
  };
  return {
    begin: ({ headers }, response) => {
      const isDeclared = headers['transfer-encoding'] === undefined;
      const bytes = isDeclared ? Number(headers['content-length'] ?? 0) : UNDECLARED_BYTES;
      if (bytes > SMALL_BYTES) hold(response, bytes);
    },
    isRead: (response, bytes) => {
      if (bytes > SMALL_BYTES || held.has(response)) hold(response, bytes);
    },
  };
};
