import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { problemsIn } from '../app/fieldProblems.ts';
import { failureIn } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { notify, notifyError, notifyProblem } from '../app/notices.ts';
import { Section } from '../app/Section.tsx';
import { useStaff } from '../app/session.ts';
import { NewPasswordField, PasswordField } from './PasswordField.tsx';
import { problemOfPassword } from './passwordRule.ts';
import { textIn } from './textIn.ts';

/**
 * Changes the password of the signed-in person. The present password is required, because a session can be left open.
 */
export const ChangePassword = () => {
  const t = useText();
  const { session_id, email } = useStaff();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<{ field: 'current' | 'next'; text: string } | null>(null);
  const change = useMutation(
    calls.desk.people.changePassword.mutationOptions({
      onSuccess: () => {
        form.current?.reset();
        notify(t('people.password.changed'));
        void queryClient.invalidateQueries({ queryKey: calls.desk.people.mySessions.queryKey() });
      },
      onError: (error) => {
        const code = failureIn(error)?.code;
        if (code === 'validation_failed') setProblem(problemIn(error));
        else if (code === 'rate_limited') notifyProblem(t('people.password.tooMany'));
        else notifyError(error);
      },
    }),
  );
  const problemIn = (error: unknown): { field: 'current' | 'next'; text: string } =>
    problemsIn(failureIn(error)).has('next')
      ? { field: 'next', text: t('people.password.tooEasy') }
      : { field: 'current', text: t('people.password.wrong') };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const [current, next] = [textIn(fields, 'current'), textIn(fields, 'next')];
    const found = problemOfPassword(next);
    setProblem(found === null ? null : { field: 'next', text: found });
    if (found !== null) return;
    change.mutate({ current, next, session_id });
  };
  const errorOf = (field: 'current' | 'next') => (problem?.field === field ? problem.text : undefined);
  return (
    <Section id="change-password" title={t('people.password.change')} maw={440}>
      <form ref={form} onSubmit={submit}>
        <Stack>
          {/* Password managers store the new password for this name. */}
          <input type="email" value={email} autoComplete="username" readOnly hidden />
          <PasswordField
            name="current"
            label={t('people.password.current')}
            description={t('people.password.currentHelp')}
            error={errorOf('current')}
          />
          <NewPasswordField name="next" error={errorOf('next')} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('people.password.change')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
};
