import { observable } from '@trpc/server/observable';
import type { TRPCClientError, TRPCLink } from '@trpc/client';
import type { PublicRouter } from '@evaluation/core-client';
import { useSyncExternalStore } from 'react';
import { statusOf } from './failures.ts';

/*
 * Some acts need the person to have given the password a short while ago, because a session can be left open. Core
 * refuses them with 412; the page then asks for the password (ProofModal.tsx) and sends the call again.
 */

/** Calls that wait for the password. State of the page: a reload drops them, and nothing was changed. */
const waiting = new Set<(isProved: boolean) => void>();
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};

/** Ends the question: the calls that wait are sent again, or fail as they were refused. */
export const answerProof = (isProved: boolean): void => {
  const answered = [...waiting];
  waiting.clear();
  for (const resolve of answered) resolve(isProved);
  tell();
};

const askForProof = async (): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  waiting.add(resolve);
  tell();
  return promise;
};

/** True while a call waits for the password. */
export const useProofIsAsked = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => waiting.size > 0,
  );

/** Another process of the desk may keep the session as it was for 5 seconds. */
const UNTIL_KNOWN_MS = 6000;

const MOST_SENT = 3;

/** Sends a call again after the person has given the password. */
export const proofLink: TRPCLink<PublicRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const repeat = async (sent: number, refusal: TRPCClientError<PublicRouter>): Promise<void> => {
        if (sent === 2) await pause(UNTIL_KNOWN_MS);
        if (sent > 1 || (await askForProof())) send(sent + 1);
        else observer.error(refusal);
      };
      const send = (sent: number) =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: (error) => {
            if (statusOf(error) === 412 && sent < MOST_SENT) void repeat(sent, error);
            else observer.error(error);
          },
        });
      return send(1);
    });

const pause = (ms: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
};
