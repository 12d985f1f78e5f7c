import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import type { ReviewSearch } from '../app/reviewSearch.ts';

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
  /** Also answers that are shared out to other people. */
  all?: true;
  /** Filters of the review page, whose list *Next* follows. */
  review?: ReviewSearch;
}

/** A place to go to. Without a question: the first one of the copy. */
export interface Target {
  /** Absent: the exam on the screen. */
  exam?: string;
  submission: string;
  question?: string;
}
