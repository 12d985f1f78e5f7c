import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';

type Outputs = inferRouterOutputs<PublicRouter>;

export type Screen = Outputs['desk']['marking']['screen'];
export type ScreenQuestion = Screen['questions'][number];
export type Annotation = NonNullable<ScreenQuestion['result']['annotations']>[number];

export type AnswerGroup = Outputs['desk']['marking']['next']['group'];

export type Order = 'copy' | 'question';

/** The place on the marking page: ids only, because addresses are kept in histories. */
export interface MarkSearch {
  order?: Order;
  submission?: string;
  question?: string;
}
