import { Button, Text } from '@mantine/core';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { textOfError } from './failures.ts';
import { useText } from './language.ts';
import { Page } from './Page.tsx';

/** Shown in place of a page whose data could not be loaded or whose code failed; the frame stays. */
export const BrokenPage = ({ error, reset }: ErrorComponentProps) => {
  const t = useText();
  const router = useRouter();
  const tryAgain = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title={t('app.broken.title')}>
      <Text role="alert" mb="md">
        {textOfError(error)}
      </Text>
      <Button onClick={tryAgain}>{t('app.tryAgain')}</Button>
    </Page>
  );
};
