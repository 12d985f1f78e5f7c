import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ColourItems } from './ColourItems.tsx';
import { useText } from './language.ts';
import { LanguageItems } from './LanguageItems.tsx';
import { notifyError } from './notices.ts';
import { askSession, sessionQuery, type Staff } from './session.ts';

export const AccountMenu = ({ staff }: { staff: Staff }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await askSession('DELETE');
      await navigate({ to: '/sign-in' });
      // Removes what this person has seen, before another person uses this browser.
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, null);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="default" aria-label={t('app.account', { name: staff.name })}>
          {staff.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account">
          {t('app.ownAccount')}
        </Menu.Item>
        <Menu.Divider />
        <LanguageItems />
        <ColourItems />
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{t('app.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
