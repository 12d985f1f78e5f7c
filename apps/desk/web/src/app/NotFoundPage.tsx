import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from './language.ts';
import { Page } from './Page.tsx';

export const NotFoundPage = () => {
  const t = useText();
  return (
    <Page title={t('app.notFound.title')}>
      <Text>{t('app.notFound.text')}</Text>
      <Anchor component={Link} to="/exams">
        {t('app.notFound.home')}
      </Anchor>
    </Page>
  );
};
