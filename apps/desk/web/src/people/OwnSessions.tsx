import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { notify } from '../app/notices.ts';
import { Section } from '../app/Section.tsx';
import { useStaff } from '../app/session.ts';
import { SessionsTable } from './SessionsTable.tsx';

export const OwnSessions = () => {
  const t = useText();
  const { session_id: own } = useStaff();
  const queryClient = useQueryClient();
  const { data: sessions } = useQuery(calls.desk.people.mySessions.queryOptions());
  const outcome = {
    onSettled: () => queryClient.invalidateQueries({ queryKey: calls.desk.people.mySessions.queryKey() }),
  };
  const end = useMutation(calls.desk.people.endMySession.mutationOptions(outcome));
  const endOthers = useMutation(
    calls.desk.people.endMyOtherSessions.mutationOptions({
      ...outcome,
      onSuccess: ({ ended }) => notify(t('people.sessions.ended', { count: ended })),
    }),
  );
  return (
    <Section id="own-sessions" title={t('people.sessions.mine')}>
      <SessionsTable
        sessions={sessions}
        own={own}
        isBusy={end.isPending}
        onEnd={(session_id) => end.mutate({ session_id })}
      />
      {(sessions ?? []).length > 1 ? (
        <Group>
          <Button
            variant="default"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate({ session_id: own })}
          >
            {t('people.sessions.endOthers')}
          </Button>
        </Group>
      ) : null}
    </Section>
  );
};
