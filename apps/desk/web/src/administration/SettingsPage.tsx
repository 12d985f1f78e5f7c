import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Answered } from '../app/Answered.tsx';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { showTime } from '../app/times.ts';
import { RetentionForm } from './RetentionForm.tsx';
import type { Settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';

export const SettingsPage = () => {
  const t = useText();
  const settings = useQuery(calls.desk.settings.show.queryOptions());
  return (
    <Page title={t('administration.settings.title')} size="lg">
      {/* After a change by another admin the forms begin again with the stored settings. */}
      <Answered query={settings}>{(stored) => <Forms key={stored.revision} settings={stored} />}</Answered>
    </Page>
  );
};

const Forms = ({ settings }: { settings: Settings }) => {
  const t = useText();
  const { changed, own_retention: own } = settings;
  return (
    <Stack gap="xl">
      {changed === null ? null : (
        <Text size="sm" c="dimmed">
          {t('administration.settings.lastChange', {
            at: showTime(changed.at),
            by: changed.by ?? t('administration.settings.someone'),
          })}
        </Text>
      )}
      <SettingsForm settings={settings} />
      <RetentionForm settings={settings} own={own} />
    </Stack>
  );
};
