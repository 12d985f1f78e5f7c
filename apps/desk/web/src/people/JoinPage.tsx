import { Button, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../app/language.ts';
import { askSession, sessionQuery, type Staff } from '../app/session.ts';
import { EntryForm } from './EntryForm.tsx';
import { REFUSALS } from './SignInPage.tsx';

interface Join {
  email: string;
  accounts: { staff_id: string; institute_name: string }[];
}

/** First sign-in with the provider: any institute can invite any address, so the person says whose account it is. */
export const JoinPage = () => {
  const t = useText();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { from } = useSearch({ from: '/join' });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data: join, isLoading } = useQuery({
    queryKey: ['join'],
    queryFn: async () => ((await askSession('GET', '/join')) as { join: Join | null }).join,
    staleTime: Infinity,
  });
  const choose = async (staffId: string) => {
    setBusy(true);
    try {
      const answer = (await askSession('POST', '/join', { staff_id: staffId })) as
        | { staff: Staff }
        | { refused: 'institute_disabled' | 'sign_in_failed' };
      if ('staff' in answer) {
        queryClient.setQueryData(sessionQuery.queryKey, answer.staff);
        await navigate({ href: from ?? '/exams' });
      } else
        setProblem(
          t(answer.refused === 'institute_disabled' ? REFUSALS.institute_disabled : 'people.signIn.refused'),
        );
    } catch {
      setProblem(t('app.failure.unreachable'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <EntryForm title={t('people.join.title')} problem={problem} onSubmit={() => {}}>
      {isLoading ? <Loader aria-label={t('app.loading')} /> : null}
      {join === null ? <Text>{t('people.join.tooLate')}</Text> : null}
      {join == null ? null : (
        <>
          <Text>{t('people.join.text', { email: join.email })}</Text>
          {join.accounts.map(({ staff_id, institute_name }) => (
            <Button key={staff_id} variant="default" disabled={isBusy} onClick={() => void choose(staff_id)}>
              {t('people.join.choose', { institute: institute_name })}
            </Button>
          ))}
          <Text size="sm">{t('people.join.other')}</Text>
        </>
      )}
    </EntryForm>
  );
};
