import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useText } from './language.ts';
import { signInWaysQuery } from './session.ts';

/** Sign-in with the provider; shows nothing where there is none. @param from the page to return to */
export const ProviderButton = ({ from }: { from?: string | undefined }) => {
  const t = useText();
  const { data: ways } = useQuery(signInWaysQuery);
  if (ways?.oidc == null) return null;
  return (
    <Button
      component="a"
      href={from === undefined ? '/oidc/start' : `/oidc/start?from=${encodeURIComponent(from)}`}
      variant={ways.password ? 'default' : 'filled'}
    >
      {t('people.signIn.with', { name: ways.oidc.name })}
    </Button>
  );
};
