import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import type { NavigationEntry } from '../app/navigation.ts';
import { AuditPage } from './AuditPage.tsx';
import { KeysPage } from './KeysPage.tsx';

const keysRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/keys', component: KeysPage });

const creditsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits',
  // Loaded lazily: its chart is large, and most people at the desk never open the page.
  component: lazyRouteComponent(() => import('./CreditsPage.tsx'), 'CreditsPage'),
});

const auditRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/audit', component: AuditPage });

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
