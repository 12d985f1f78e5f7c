import { Anchor, Select, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { changeLanguage, languageNow, useText } from '../app/language.ts';
import { tellError } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import { useStaff } from '../app/session.ts';
import { LANGUAGES } from '../app/texts.ts';
import { ChangePassword } from './ChangePassword.tsx';
import { OwnSessions } from './OwnSessions.tsx';

/** Own account of the signed-in person: password, sessions, language. */
export const AccountPage = () => {
  const t = useText();
  const { name, email, role, institute_name } = useStaff();
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
        <ChangePassword />
        <OwnSessions />
        <section aria-labelledby="own-language">
          <Stack maw={440}>
            <Title order={2} size="h3" id="own-language">
              {t('people.account.page')}
            </Title>
            <Select
              label={t('app.language')}
              description={t('people.account.languageHelp')}
              data={LANGUAGES.map((language) => ({ value: language, label: t(`app.language.${language}`) }))}
              value={languageNow()}
              allowDeselect={false}
              onChange={(value) => {
                const language = LANGUAGES.find((known) => known === value);
                if (language !== undefined) void changeLanguage(language).catch(tellError);
              }}
            />
            <Text size="sm">{t('people.account.keys')}</Text>
            {role === 'admin' ? (
              <Anchor component={Link} to="/keys">
                {t('people.account.apiKeys')}
              </Anchor>
            ) : null}
          </Stack>
        </section>
      </Stack>
    </Page>
  );
};
