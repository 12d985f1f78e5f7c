import { Alert, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { textOfError } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { showTime } from '../app/times.ts';
import { RetentionForm } from './RetentionForm.tsx';
import type { Settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';

/** Settings of the institute, for admins. */
export const SettingsPage = () => {
  const t = useText();
  const { data, error } = useQuery(calls.desk.settings.show.queryOptions());
  return (
    <Page title={t('administration.settings.title')} size="lg">
      {error === null ? null : (
        <Alert role="alert" color="red" variant="outline">
          {textOfError(error)}
        </Alert>
      )}
      {data === undefined && error === null ? <Loader aria-label={t('app.loading')} /> : null}
      {/* After a change by another admin the forms begin again with what is stored. */}
      {data === undefined ? null : <Forms key={data.revision} settings={data} />}
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
      {own === undefined ? null : <RetentionForm settings={settings} own={own} />}
    </Stack>
  );
};
