import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import type { NavigationEntry } from '../app/navigation.ts';
import { reviewSearchIn } from '../app/reviewSearch.ts';

const reviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/review',
  validateSearch: reviewSearchIn,
  component: lazyRouteComponent(() => import('./ReviewPage.tsx'), 'ReviewPage'),
});

const shareRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/exams/$examId/share',
  component: lazyRouteComponent(() => import('./SharePage.tsx'), 'SharePage'),
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
  withFrame: [reviewRoute, shareRoute, guideRoute, statisticsRoute, finalizeRoute, returnRoute],
} as const;

export const decidingNavigation: readonly NavigationEntry[] = [
  { path: '/review', label: 'deciding.review.title', roles: ['admin', 'examiner'] },
];
