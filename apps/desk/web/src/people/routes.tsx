import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedInRoute } from '../app/layouts.tsx';
import type { NavigationEntry } from '../app/navigation.ts';
import { InvitationPage } from './InvitationPage.tsx';
import { SignInPage } from './SignInPage.tsx';
import { StaffPage } from './StaffPage.tsx';

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { from?: string; refused?: 1 } => ({
    ...(isOwnPath(search['from']) ? { from: search['from'] } : {}),
    ...(search['refused'] === 1 ? { refused: 1 } : {}),
  }),
  component: SignInPage,
});

/** Only a path of the desk: another address would lead a person away after the sign-in. */
const isOwnPath = (from: unknown): from is string =>
  typeof from === 'string' && /^\/(?![/\\])/.test(from) && !from.startsWith('/sign-in');

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: InvitationPage,
});

const staffRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/staff',
  component: StaffPage,
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./AccountPage.tsx'), 'AccountPage'),
});

export const peopleRoutes = {
  withoutFrame: [signInRoute, invitationRoute],
  withFrame: [staffRoute, accountRoute],
} as const;

export const peopleNavigation: readonly NavigationEntry[] = [
  { path: '/staff', label: 'people.staff.title', roles: ['admin'] },
];
