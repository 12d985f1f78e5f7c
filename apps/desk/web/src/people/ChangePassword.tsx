import { Button, Group, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { failureIn } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { tell, tellError, tellProblem } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { NewPasswordField, PasswordField } from './PasswordField.tsx';
import { problemOfPassword } from './passwordRule.ts';
import { textIn } from './textIn.ts';

/** Changes the own password. The present one is asked, because a session can be left open. */
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
        tell(t('people.password.changed'));
        void queryClient.invalidateQueries({ queryKey: calls.desk.people.mySessions.queryKey() });
      },
      onError: (error) => {
        const code = failureIn(error)?.code;
        if (code === 'validation_failed') setProblem({ field: 'current', text: t('people.password.wrong') });
        else if (code === 'rate_limited') tellProblem(t('people.password.tooMany'));
        else tellError(error);
      },
    }),
  );
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
    <section aria-labelledby="change-password">
      <form ref={form} onSubmit={submit}>
        <Stack maw={440}>
          <Title order={2} size="h3" id="change-password">
            {t('people.password.change')}
          </Title>
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
    </section>
  );
};
