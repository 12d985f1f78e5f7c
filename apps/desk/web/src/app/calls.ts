import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createTRPCClient, httpLink, isTRPCClientError } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { PublicRouter } from '@evaluation/core-client';
import { isUnreachable, statusOf } from './failures.ts';
import { notifyError } from './notices.ts';
import { proofLink } from './proof.ts';
import { OWN_HEADERS, sessionQuery } from './session.ts';

/*
 * Calls to core through the desk's server. All calls are POST, reads included, so that no address and no access log
 * contains their input. A command that core runs once for a key gets the key by `context: withKey(key)`. A command that
 * is queued also gets the id of its person, by `context: withKey(key, staffId)`, because another person may have signed
 * in when it is sent.
 */

export const client = createTRPCClient<PublicRouter>({
  links: [
    proofLink,
    httpLink({
      url: '/trpc',
      methodOverride: 'POST',
      headers: ({ op }) => {
        const { idempotencyKey: key, staffId } = op.context;
        return {
          ...OWN_HEADERS,
          ...(typeof key === 'string' ? { 'idempotency-key': key } : {}),
          ...(typeof staffId === 'string' ? { 'x-evaluation-staff': staffId } : {}),
        };
      },
    }),
  ],
});

/**
 * Context of a command that takes effect once, however often it is repeated.
 *
 * @param staffId the command is refused with 401 unless the session of the browser is this person's
 */
export const withKey = (key: string, staffId?: string) => ({
  idempotencyKey: key,
  ...(staffId === undefined ? {} : { staffId }),
});

const MOST_RETRIES = 3;

/** A session that has ended shows the sign-in page, which the frame does when the session is null. */
const noticeEndedSession = (error: Error): void => {
  if (isTRPCClientError(error) && statusOf(error) === 401)
    queryClient.setQueryData(sessionQuery.queryKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndedSession }),
  mutationCache: new MutationCache({ onError: noticeEndedSession }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (tries, error) => tries < MOST_RETRIES && isUnreachable(error),
    },
    // Commands with an `onError` of their own replace this one.
    mutations: { onError: notifyError },
  },
});

/** Options for React Query by procedure: `useQuery(calls.exams.get.queryOptions({ exam_id }))`. */
export const calls = createTRPCOptionsProxy<PublicRouter>({ client, queryClient });
