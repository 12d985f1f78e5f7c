import type { PublicRouter } from '@evaluation/core-client';
import type { inferRouterOutputs } from '@trpc/server';

type Outputs = inferRouterOutputs<PublicRouter>;

export type Queued = Outputs['desk']['review']['queue']['data'][number];
export type Shares = Outputs['desk']['marking']['shares'];
export type Checklist = Outputs['desk']['review']['checklist'];
export type CopyPages = Outputs['desk']['review']['pages'];
export type Agreement = Outputs['desk']['statistics']['agreement'];
export type MarksByPerson = Outputs['desk']['statistics']['people'];
export type Distribution = Outputs['desk']['statistics']['distribution'];
export type Guide = Outputs['guide']['show'];
export type GuideStep = NonNullable<Guide['application']>;
export type Suggestion = Outputs['guide']['suggestions']['data'][number];
export type CandidateOfBook = Outputs['desk']['exams']['markBook']['data'][number]['candidate'];
