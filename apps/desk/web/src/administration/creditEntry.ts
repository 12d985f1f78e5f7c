import type { PublicRouter } from '@evaluation/core-client';
import type { inferRouterOutputs } from '@trpc/server';

export type CreditEntry = inferRouterOutputs<PublicRouter>['desk']['credits']['history']['data'][number];
