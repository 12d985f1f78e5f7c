import { Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { SessionsTable } from './SessionsTable.tsx';

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
      <SessionsTable
        sessions={sessions}
        isBusy={end.isPending}
        onEnd={(session_id) => end.mutate({ staff_id: member.id, session_id })}
      />
    </Modal>
  );
};
