import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import type { Failure as CoreFailure } from '@evaluation/rest-contract/errors';

/** The types that `publicTypes.ts` prints. `desk` has the calls of the desk's own page. */
export type Inputs = Omit<inferRouterInputs<PublicRouter>, 'desk'>;
export type Outputs = Omit<inferRouterOutputs<PublicRouter>, 'desk'>;
export type Failure = CoreFailure;
