import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../app/layouts.tsx';
import { SignInPage } from './SignInPage.tsx';

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { from?: string } =>
    isOwnPath(search['from']) ? { from: search['from'] } : {},
  component: SignInPage,
});

/** Only a path of the desk: another address would lead a person away after the sign-in. */
const isOwnPath = (from: unknown): from is string =>
  typeof from === 'string' && /^\/(?![/\\])/.test(from) && !from.startsWith('/sign-in');

export const peopleRoutes = { withoutFrame: [signInRoute], withFrame: [] } as const;
