import { Anchor, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changeLanguage, languageNow, useText } from '../app/language.ts';
import { notifyError } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import { Section } from '../app/Section.tsx';
import { signInWaysQuery, useStaff } from '../app/session.ts';
import { LANGUAGES } from '../app/texts.ts';
import { ChangePassword } from './ChangePassword.tsx';
import { OwnSessions } from './OwnSessions.tsx';
import { Passkeys } from './Passkeys.tsx';

export const AccountPage = () => {
  const t = useText();
  const { name, email, role, institute_name } = useStaff();
  const { data: ways } = useQuery(signInWaysQuery);
  return (
    <Page title={t('people.account.title')} size="lg">
      <Stack gap="xl">
        <Text>
          {t('people.account.who', {
            name,
            email,
            role: t(`people.role.${role}`),
            institute: institute_name,
          })}
        </Text>
        {ways?.password === false ? null : (
          <>
            <ChangePassword />
            <Passkeys />
          </>
        )}
        <OwnSessions />
        <Section id="own-language" title={t('people.account.page')} maw={440}>
          <Select
            label={t('app.language')}
            description={t('people.account.languageHelp')}
            data={LANGUAGES.map((language) => ({ value: language, label: t(`app.language.${language}`) }))}
            value={languageNow()}
            allowDeselect={false}
            onChange={(value) => {
              const language = LANGUAGES.find((known) => known === value);
              if (language !== undefined) void changeLanguage(language).catch(notifyError);
            }}
          />
          <Text size="sm">{t('people.account.keys')}</Text>
          {role === 'admin' ? (
            <Anchor component={Link} to="/keys">
              {t('people.account.apiKeys')}
            </Anchor>
          ) : null}
        </Section>
      </Stack>
    </Page>
  );
};
