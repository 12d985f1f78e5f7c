import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useRouteContext } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { AccountMenu } from './AccountMenu.tsx';
import { followChanges } from '../live/followChanges.ts';
import { useText } from './language.ts';
import { ProofModal } from './ProofModal.tsx';
import { sessionQuery } from './session.ts';

export const Frame = () => {
  const t = useText();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { data: staff } = useQuery(sessionQuery);
  const { navigation } = useRouteContext({ from: '__root__' });
  const { pathname, href } = useLocation();
  const navigate = useNavigate();
  const content = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  const queryClient = useQueryClient();
  const staffId = staff?.id;
  useEffect(() => (staffId === undefined ? undefined : followChanges(queryClient)), [queryClient, staffId]);

  useEffect(() => {
    // The frame is still mounted for a moment when the address is that of the sign-in page; it must not navigate twice.
    if (staff === null && pathname !== '/sign-in') void navigate({ to: '/sign-in', search: { from: href } });
  }, [staff, navigate, pathname, href]);

  // Moves the focus to the content of the new page, so that keyboards and screen readers do not begin at the link.
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    close();
    content.current?.focus();
  }, [pathname, close]);

  if (staff == null) return null;
  // The marking screen needs the width: there the navigation opens by its button, as on a phone.
  const isWide = /^\/exams\/[^/]+\/mark$/.test(pathname);
  const entries = navigation.filter(({ roles }) => roles.includes(staff.role));
  return (
    <AppShell
      header={{ height: isWide ? 44 : 56 }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isOpen, desktop: isWide && !isOpen } }}
    >
      <a className="skip-link" href="#content">
        {t('app.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm">
            <Burger
              opened={isOpen}
              onClick={toggle}
              {...(isWide ? {} : { hiddenFrom: 'md' })}
              size="sm"
              aria-label={t('app.openNavigation')}
            />
            <Text fw={700} truncate>
              {t('app.name')}
            </Text>
            <Text c="dimmed" truncate visibleFrom="sm">
              {staff.institute_name}
            </Text>
          </Group>
          <AccountMenu staff={staff} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t('app.navigation')}>
        {entries.map(({ path, label }) => {
          const isActive = pathname === path || pathname.startsWith(`${path}/`);
          return (
            <NavLink
              key={path}
              component={Link}
              to={path}
              label={t(label)}
              active={isActive}
              variant="filled"
              aria-current={isActive ? 'page' : undefined}
            />
          );
        })}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={content}>
        <Outlet />
        <ProofModal />
      </AppShell.Main>
    </AppShell>
  );
};
