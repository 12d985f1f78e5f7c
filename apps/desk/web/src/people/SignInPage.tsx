import { ProviderButton } from '../app/ProviderButton.tsx';
import { Button, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { t as textOf, useText } from '../app/language.ts';
import { askSession, sessionQuery, signInWaysQuery, type Staff } from '../app/session.ts';
import { EntryForm } from './EntryForm.tsx';
import { hasPasskeys, signInWithPasskey } from './passkeys.ts';
import { PasswordField } from './PasswordField.tsx';

type Answer =
  | { staff: Staff }
  | { refused: keyof typeof REFUSALS | 'passkey_needed' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

export const REFUSALS = {
  wrong_credentials: 'people.signIn.wrong',
  institute_disabled: 'people.signIn.instituteDisabled',
} as const;

const refusalText = (answer: Exclude<Answer, { staff: Staff }>): string => {
  if (answer.refused === 'too_many_attempts')
    return textOf('people.signIn.tooMany', { count: Math.ceil(answer.retry_after_seconds / 60) });
  return answer.refused === 'passkey_needed'
    ? textOf('people.signIn.passkeyNeeded')
    : textOf(REFUSALS[answer.refused]);
};

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
    await answerOf(async () => {
      const body = { email: fields.get('email'), password: fields.get('password') };
      const answer = (await askSession('POST', '', body)) as Answer;
      // The account has a passkey, which is asked for now.
      return 'refused' in answer && answer.refused === 'passkey_needed' && hasPasskeys()
        ? ((await signInWithPasskey()) ?? answer)
        : answer;
    });
  };
  const answerOf = async (ask: () => Promise<Answer | null>) => {
    setBusy(true);
    setProblem(null);
    try {
      const answer = await ask();
      if (answer !== null && 'staff' in answer) {
        queryClient.setQueryData(sessionQuery.queryKey, answer.staff);
        await navigate({ href: from ?? '/exams' });
      } else if (answer !== null) setProblem(refusalText(answer));
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
      {ways?.password === false || !hasPasskeys() ? null : (
        <Button variant="default" disabled={isBusy} onClick={() => void answerOf(signInWithPasskey)}>
          {t('people.signIn.passkey')}
        </Button>
      )}
      {ways?.password === false ? null : (
        <Text size="sm" c="dimmed">
          {t('people.signIn.forgotten')}
        </Text>
      )}
      <ProviderButton from={from} />
    </EntryForm>
  );
};
