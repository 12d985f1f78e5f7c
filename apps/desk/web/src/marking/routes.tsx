import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import type { MarkSearch } from './types.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** Loaded when it is opened: the reader of PDFs is larger than the rest of the desk. */
const markRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$id/mark',
  validateSearch: (search: Record<string, unknown>): MarkSearch => ({
    ...(search['order'] === 'question' || search['order'] === 'copy' ? { order: search['order'] } : {}),
    ...(isId(search['submission']) ? { submission: search['submission'] } : {}),
    ...(isId(search['question']) ? { question: search['question'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./MarkingPage.tsx'), 'MarkingPage'),
});

export const markingRoutes = { withFrame: [markRoute] } as const;
