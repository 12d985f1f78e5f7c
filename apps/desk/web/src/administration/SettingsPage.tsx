import { Alert, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { textOfError } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
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
      {/* After a change by another admin the form begins again with what is stored. */}
      {data === undefined ? null : <SettingsForm key={data.revision} settings={data} />}
    </Page>
  );
};
