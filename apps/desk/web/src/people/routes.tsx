import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedInRoute } from '../app/layouts.tsx';
import { ownPath } from '../../../src/sessions/ownPath.ts';
import type { NavigationEntry } from '../app/navigation.ts';
import { InvitationPage } from './InvitationPage.tsx';
import { SignInPage } from './SignInPage.tsx';

/** Why a provider's sign-in came back: 1 stands for all reasons that the page does not tell apart. */
type Refused = 1 | 'institute_disabled';

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { from?: string; refused?: Refused } => ({
    ...fromIn(search),
    ...(search['refused'] === 1 || search['refused'] === 'institute_disabled'
      ? { refused: search['refused'] }
      : {}),
  }),
  component: SignInPage,
});

const fromIn = (search: Record<string, unknown>): { from?: string } => {
  const from = ownPath(search['from']);
  return from === null ? {} : { from };
};

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: InvitationPage,
});

const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  validateSearch: fromIn,
  component: lazyRouteComponent(() => import('./JoinPage.tsx'), 'JoinPage'),
});

const staffRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/staff',
  component: lazyRouteComponent(() => import('./StaffPage.tsx'), 'StaffPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./AccountPage.tsx'), 'AccountPage'),
});

export const peopleRoutes = {
  withoutFrame: [signInRoute, joinRoute, invitationRoute],
  withFrame: [staffRoute, accountRoute],
} as const;

export const peopleNavigation: readonly NavigationEntry[] = [
  { path: '/staff', label: 'people.staff.title', roles: ['admin'] },
];
