import { Button, Loader, Modal, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { tellError } from '../app/notices.ts';
import { showTime } from '../app/times.ts';

/** Sessions of a person, each with a button that ends it. */
export const SessionsModal = ({
  member,
  onClose,
}: {
  member: { id: string; name: string };
  onClose: () => void;
}) => {
  const t = useText();
  const queryClient = useQueryClient();
  const asked = { staff_id: member.id };
  const { data: sessions } = useQuery(calls.desk.people.sessions.queryOptions(asked));
  const end = useMutation(
    calls.desk.people.endSession.mutationOptions({
      onSuccess: () =>
        queryClient.invalidateQueries({ queryKey: calls.desk.people.sessions.queryKey(asked) }),
      onError: tellError,
    }),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('people.sessions.title', { name: member.name })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      {sessions === undefined ? <Loader aria-label={t('app.loading')} /> : null}
      {sessions?.length === 0 ? <Text>{t('people.sessions.none')}</Text> : null}
      {sessions === undefined || sessions.length === 0 ? null : (
        <Table aria-label={t('people.sessions')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('people.sessions.browser')}</Table.Th>
              <Table.Th>{t('people.sessions.since')}</Table.Th>
              <Table.Th>{t('people.sessions.seen')}</Table.Th>
              <Table.Th>{t('people.actions')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sessions.map(({ id, user_agent, created_at, last_seen_at }) => (
              <Table.Tr key={id}>
                <Table.Td>{user_agent}</Table.Td>
                <Table.Td>{showTime(created_at)}</Table.Td>
                <Table.Td>{showTime(last_seen_at)}</Table.Td>
                <Table.Td>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('people.sessions.endOf', { browser: user_agent })}
                    onClick={() => end.mutate({ staff_id: member.id, session_id: id })}
                  >
                    {t('people.sessions.end')}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Modal>
  );
};
