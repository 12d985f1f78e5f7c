import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { queryClient } from './calls.ts';
import { Frame } from './Frame.tsx';
import type { NavigationEntry } from './navigation.ts';
import { sessionQuery } from './session.ts';

/**
 * Parents of all routes. Areas add their routes below `signedInRoute`, or below `rootRoute` for pages without frame.
 */
export const rootRoute = createRootRouteWithContext<{ navigation: readonly NavigationEntry[] }>()({
  component: Outlet,
});

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const staff = await queryClient.ensureQueryData(sessionQuery);
    // TanStack Router expects a redirect to be thrown.
    if (staff === null) throw redirect({ to: '/sign-in', search: { from: location.href } });
  },
  component: Frame,
});
