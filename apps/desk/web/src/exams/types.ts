import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';

type Desk = inferRouterOutputs<PublicRouter>['desk']['exams'];

export type ExamOverview = Desk['overview'];
export type MarkBook = Desk['markBook'];
export type CopyOfCandidate = MarkBook['data'][number];
