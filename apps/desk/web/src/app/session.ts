import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PublicRouter } from '@evaluation/core-client';
import type { inferRouterOutputs } from '@trpc/server';

/** Proves to the desk's server that its own page sends the request. */
export const OWN_HEADERS = { 'x-evaluation-desk': '1' } as const;

export type Staff = NonNullable<inferRouterOutputs<PublicRouter>['desk']['people']['session']>;

/** An answer of the desk's server that is an error. */
export class ErrorAnswer extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the desk answered ${status}`);
    this.status = status;
  }
}

/** A request to `/session` of the desk's server. @throws ErrorAnswer, and TypeError without an answer */
export const askSession = async (
  method: 'GET' | 'POST' | 'DELETE',
  path:
    | ''
    | '/ways'
    | '/proof'
    | '/join'
    | '/passkey'
    | '/passkey/options'
    | '/link/shown'
    | '/link/followed' = '',
  body?: unknown,
): Promise<unknown> => {
  const response = await fetch(`/session${path}`, {
    method,
    headers: { ...OWN_HEADERS, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new ErrorAnswer(response.status);
  return response.json();
};

const RETRIES = 2;

/** The signed-in person; null if the session has ended or there was none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Staff | null> => ((await askSession('GET')) as { staff: Staff | null }).staff,
  staleTime: 60_000,
  retry: RETRIES,
});

interface SignInWays {
  /** False: with the provider alone. */
  password: boolean;
  oidc: { name: string } | null;
}

export const signInWaysQuery = queryOptions({
  queryKey: ['signInWays'],
  queryFn: async () => (await askSession('GET', '/ways')) as SignInWays,
  staleTime: Infinity,
});

/** The signed-in person, in components below the frame, which shows nothing without one. */
export const useStaff = (): Staff => {
  const { data } = useQuery(sessionQuery);
  if (data == null) throw new Error('this component is below the frame only');
  return data;
};
