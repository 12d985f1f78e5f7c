import { Button, Group, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { tell, tellError } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { SessionsTable } from './SessionsTable.tsx';

/** Browsers in which the signed-in person is signed in. */
export const OwnSessions = () => {
  const t = useText();
  const { session_id: own } = useStaff();
  const queryClient = useQueryClient();
  const { data: sessions } = useQuery(calls.desk.people.mySessions.queryOptions());
  const outcome = {
    onError: tellError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: calls.desk.people.mySessions.queryKey() }),
  };
  const end = useMutation(calls.desk.people.endMySession.mutationOptions(outcome));
  const endOthers = useMutation(
    calls.desk.people.endMyOtherSessions.mutationOptions({
      ...outcome,
      onSuccess: ({ ended }) => tell(t('people.sessions.ended', { count: ended })),
    }),
  );
  return (
    <section aria-labelledby="own-sessions">
      <Stack>
        <Title order={2} size="h3" id="own-sessions">
          {t('people.sessions.mine')}
        </Title>
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
      </Stack>
    </section>
  );
};
