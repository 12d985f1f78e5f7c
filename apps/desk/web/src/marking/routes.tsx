import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import { reviewSearchIn } from '../app/reviewSearch.ts';
import type { MarkSearch } from './types.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Loaded when it is opened: the reader of PDFs is larger than the rest of the desk. */
const markRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$id/mark',
  validateSearch: (search: Record<string, unknown>): MarkSearch => ({
    ...(search['order'] === 'question' || search['order'] === 'copy' ? { order: search['order'] } : {}),
    ...(isId(search['submission']) ? { submission: search['submission'] } : {}),
    ...(isId(search['question']) ? { question: search['question'] } : {}),
    ...(search['all'] === true ? { all: true as const } : {}),
    ...(isRecord(search['review']) ? { review: reviewSearchIn(search['review']) } : {}),
  }),
  component: lazyRouteComponent(() => import('./MarkingPage.tsx'), 'MarkingPage'),
});

export const markingRoutes = { withFrame: [markRoute] } as const;
