import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import type { NavigationEntry } from '../app/navigation.ts';

interface ReviewSearch {
  exam?: string;
  reason?: string;
  flagged?: true;
}

const textIn = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const reviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/review',
  validateSearch: (search: Record<string, unknown>): ReviewSearch => {
    const [exam, reason] = [textIn(search, 'exam'), textIn(search, 'reason')];
    return {
      ...(exam === undefined ? {} : { exam }),
      ...(reason === undefined ? {} : { reason }),
      ...(search['flagged'] === true ? { flagged: true as const } : {}),
    };
  },
  component: lazyRouteComponent(() => import('./ReviewPage.tsx'), 'ReviewPage'),
});

const guideRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$examId/guide',
  component: lazyRouteComponent(() => import('./GuidePage.tsx'), 'GuidePage'),
});

const statisticsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$examId/statistics',
  component: lazyRouteComponent(() => import('./StatisticsPage.tsx'), 'StatisticsPage'),
});

const finalizeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$examId/finalize',
  component: lazyRouteComponent(() => import('./FinalizePage.tsx'), 'FinalizePage'),
});

const returnRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$examId/return',
  component: lazyRouteComponent(() => import('./ReturnPage.tsx'), 'ReturnPage'),
});

export const decidingRoutes = {
  withFrame: [reviewRoute, guideRoute, statisticsRoute, finalizeRoute, returnRoute],
} as const;

export const decidingNavigation: readonly NavigationEntry[] = [
  { path: '/review', label: 'deciding.review.title', roles: ['admin', 'examiner'] },
];
