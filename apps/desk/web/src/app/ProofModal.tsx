import { Alert, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useText } from './language.ts';
import { answerProof, useProofIsAsked } from './proof.ts';
import { ProviderButton } from './ProviderButton.tsx';
import { askSession, sessionQuery, signInWaysQuery } from './session.ts';

type Answer =
  | { proved: true }
  | { refused: 'wrong_credentials' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

/** Asks for the password when a call needs it. A person without one signs in again with the provider. */
export const ProofModal = () => {
  const isAsked = useProofIsAsked();
  return isAsked ? <Question /> : null;
};

const Question = () => {
  const t = useText();
  const { data: staff } = useQuery(sessionQuery);
  const { data: ways } = useQuery(signInWaysQuery);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget).get('password');
    setBusy(true);
    try {
      const answer = (await askSession('POST', '/proof', { password })) as Answer;
      if ('proved' in answer) answerProof(true);
      else
        setProblem(
          answer.refused === 'too_many_attempts'
            ? t('people.signIn.tooMany', { count: Math.ceil(answer.retry_after_seconds / 60) })
            : t('people.password.wrong'),
        );
    } catch {
      setProblem(t('app.failure.unreachable'));
    } finally {
      setBusy(false);
    }
  };
  const withPassword = ways?.password !== false;
  const from = `${window.location.pathname}${window.location.search}`;
  return (
    <Modal
      opened
      onClose={() => answerProof(false)}
      title={t('app.proof.title')}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Text>{t(withPassword ? 'app.proof.text' : 'app.proof.textProvider')}</Text>
          {problem === null ? null : (
            <Alert variant="default" role="alert">
              {problem}
            </Alert>
          )}
          <input type="email" value={staff?.email ?? ''} autoComplete="username" readOnly hidden />
          {withPassword ? (
            <PasswordInput
              name="password"
              label={t('people.password')}
              autoComplete="current-password"
              required
              withAsterisk={false}
              data-autofocus
              visibilityToggleButtonProps={{ 'aria-label': t('people.showPassword'), tabIndex: 0 }}
            />
          ) : null}
          <Group justify="flex-end">
            <ProviderButton from={from} />
            <Button variant="default" onClick={() => answerProof(false)}>
              {t('app.cancel')}
            </Button>
            {withPassword ? (
              <Button type="submit" loading={isBusy}>
                {t('app.proof.button')}
              </Button>
            ) : null}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
