import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { administrationNavigation, administrationRoutes } from '../administration/routes.tsx';
import { examsNavigation, examsRoutes } from '../exams/routes.tsx';
import { decidingNavigation, decidingRoutes } from '../deciding/routes.tsx';
import { markingRoutes } from '../marking/routes.tsx';
import { peopleNavigation, peopleRoutes } from '../people/routes.tsx';
import { BrokenPage } from './BrokenPage.tsx';
import { rootRoute, signedInRoute } from './layouts.tsx';
import type { NavigationEntry } from './navigation.ts';
import { NotFoundPage } from './NotFoundPage.tsx';

/** Lists the areas: their routes without frame, their routes below the frame, and their entries of the navigation. */
const navigation: readonly NavigationEntry[] = [
  ...examsNavigation,
  ...decidingNavigation,
  ...administrationNavigation,
  ...peopleNavigation,
];

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ href: '/exams' });
  },
});

/** Page of an unknown address. It is below the frame, so that it requires a sign-in like every page. */
const unknownRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '$',
  component: NotFoundPage,
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  ...peopleRoutes.withoutFrame,
  signedInRoute.addChildren([
    ...administrationRoutes.withFrame,
    ...examsRoutes.withFrame,
    ...decidingRoutes.withFrame,
    ...markingRoutes.withFrame,
    ...peopleRoutes.withFrame,
    unknownRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  context: { navigation },
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
