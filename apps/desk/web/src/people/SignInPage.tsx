import { ProviderButton } from '../app/ProviderButton.tsx';
import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { t as textOf, useText } from '../app/language.ts';
import { askSession, sessionQuery, signInWaysQuery, type Staff } from '../app/session.ts';
import { EntryForm } from './EntryForm.tsx';
import { PasswordField } from './PasswordField.tsx';

type Answer =
  | { staff: Staff }
  | { refused: keyof typeof REFUSALS }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

export const REFUSALS = {
  wrong_credentials: 'people.signIn.wrong',
  institute_disabled: 'people.signIn.instituteDisabled',
} as const;

const refusalText = (answer: Exclude<Answer, { staff: Staff }>): string =>
  answer.refused === 'too_many_attempts'
    ? textOf('people.signIn.tooMany', { count: Math.ceil(answer.retry_after_seconds / 60) })
    : textOf(REFUSALS[answer.refused]);

export const SignInPage = () => {
  const t = useText();
  const { from, refused } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState(
    refused === undefined ? null : t(refused === 1 ? 'people.signIn.refused' : REFUSALS[refused]),
  );
  const { data: ways } = useQuery(signInWaysQuery);
  const [isBusy, setBusy] = useState(false);

  const signIn = async (fields: FormData) => {
    setBusy(true);
    setProblem(null);
    try {
      const body = { email: fields.get('email'), password: fields.get('password') };
      const answer = (await askSession('POST', '', body)) as Answer;
      if ('staff' in answer) {
        queryClient.setQueryData(sessionQuery.queryKey, answer.staff);
        await navigate({ href: from ?? '/exams' });
      } else setProblem(refusalText(answer));
    } catch {
      setProblem(t('app.failure.unreachable'));
    } finally {
      setBusy(false);
    }
  };

  return (
    <EntryForm title={t('people.signIn.title')} problem={problem} onSubmit={(fields) => void signIn(fields)}>
      {ways?.password === false ? null : (
        <>
          <TextInput
            name="email"
            type="email"
            label={t('people.email')}
            autoComplete="username"
            required
            autoFocus
            withAsterisk={false}
          />
          <PasswordField name="password" label={t('people.password')} />
          <Button type="submit" loading={isBusy}>
            {t('people.signIn.button')}
          </Button>
        </>
      )}
      <ProviderButton from={from} />
    </EntryForm>
  );
};
