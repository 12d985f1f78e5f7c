import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import type { NavigationEntry } from '../app/navigation.ts';

const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./KeysPage.tsx'), 'KeysPage'),
});

const creditsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits',
  // Loaded lazily: its chart is large, and most people at the desk never open the page.
  component: lazyRouteComponent(() => import('./CreditsPage.tsx'), 'CreditsPage'),
});

const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('./AuditPage.tsx'), 'AuditPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./SettingsPage.tsx'), 'SettingsPage'),
});

export const administrationRoutes = {
  withFrame: [keysRoute, creditsRoute, auditRoute, settingsRoute],
} as const;

export const administrationNavigation: readonly NavigationEntry[] = [
  { path: '/credits', label: 'administration.credits.title', roles: ['admin'] },
  { path: '/keys', label: 'administration.keys.title', roles: ['admin'] },
  { path: '/audit', label: 'administration.audit.title', roles: ['admin'] },
  { path: '/settings', label: 'administration.settings.title', roles: ['admin'] },
];
