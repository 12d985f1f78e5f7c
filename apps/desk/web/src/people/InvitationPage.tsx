import { Button, Loader, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../app/language.ts';
import { ProviderButton } from '../app/ProviderButton.tsx';
import { askSession, ErrorAnswer, sessionQuery, signInWaysQuery, type Staff } from '../app/session.ts';
import { EntryForm } from './EntryForm.tsx';
import { NewPasswordField } from './PasswordField.tsx';
import { problemOfPassword } from './passwordRule.ts';
import { REFUSALS } from './SignInPage.tsx';
import { textIn } from './textIn.ts';

interface Invitation {
  purpose: 'invitation' | 'password_reset';
  email: string;
  name: string;
  institute_name: string;
}

/** The token of the link is the part after `#`, which a browser does not send. */
const tokenOfLink = (): string => window.location.hash.slice(1);

export const InvitationPage = () => {
  const t = useText();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [token] = useState(tokenOfLink);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data: ways } = useQuery(signInWaysQuery);
  const { data: link, isLoading } = useQuery({
    queryKey: ['link', token],
    queryFn: async () =>
      token === ''
        ? null
        : ((await askSession('POST', '/link/shown', { token })) as { link: Invitation | null }).link,
    staleTime: Infinity,
  });

  const accept = async (fields: FormData) => {
    const password = textIn(fields, 'password');
    const found = problemOfPassword(password);
    setProblem(found);
    if (found !== null) return;
    setBusy(true);
    try {
      const name = fields.get('name');
      const body = { token, password, ...(typeof name === 'string' ? { name } : {}) };
      const answer = (await askSession('POST', '/link/followed', body)) as
        | { staff: Staff }
        | { refused: 'institute_disabled' };
      if ('refused' in answer) setProblem(t(REFUSALS[answer.refused]));
      else {
        queryClient.setQueryData(sessionQuery.queryKey, answer.staff);
        await navigate({ href: '/exams' });
      }
    } catch (error) {
      const isTooEasy = error instanceof ErrorAnswer && error.status === 422;
      setProblem(t(isTooEasy ? 'people.password.tooEasy' : 'people.invitation.failed'));
    } finally {
      setBusy(false);
    }
  };

  const title = t(
    link?.purpose === 'password_reset' ? 'people.invitation.resetTitle' : 'people.invitation.title',
  );
  return (
    <EntryForm title={title} problem={problem} onSubmit={(fields) => void accept(fields)}>
      {isLoading ? <Loader aria-label={t('app.loading')} /> : null}
      {link === null ? <Text>{t('people.invitation.void')}</Text> : null}
      {link == null ? null : (
        <>
          <Text>{t('people.invitation.to', { institute: link.institute_name })}</Text>
          <TextInput label={t('people.email')} value={link.email} readOnly autoComplete="username" />
          {ways?.password === false ? (
            <>
              <Text>{t('people.invitation.provider', { name: ways.oidc?.name ?? '' })}</Text>
              <ProviderButton />
            </>
          ) : (
            <>
              {link.purpose === 'invitation' ? (
                <TextInput
                  name="name"
                  label={t('people.name')}
                  defaultValue={link.name}
                  required
                  withAsterisk={false}
                  maxLength={255}
                  autoComplete="name"
                />
              ) : null}
              <NewPasswordField name="password" />
              <Button type="submit" loading={isBusy}>
                {t('people.invitation.button')}
              </Button>
            </>
          )}
        </>
      )}
    </EntryForm>
  );
};
