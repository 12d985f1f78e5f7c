import { Checkbox, List } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { calls, client } from '../app/calls.ts';
import { ConfirmModal } from '../app/ConfirmModal.tsx';
import { useText } from '../app/language.ts';

/** Asks before an account is disabled, and offers to revoke the API keys that this person made. */
export const DisableModal = ({
  member: { id, name },
  isBusy,
  onConfirm,
  onClose,
}: {
  member: { id: string; name: string };
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) => {
  const t = useText();
  const [revokes, setRevokes] = useState(true);
  const { data } = useQuery(calls.desk.keys.list.queryOptions({ made_by: id, limit: 200 }));
  const keys = data?.data ?? [];
  // The account is disabled only after its keys are revoked: a failure leaves a dialogue that can be confirmed again.
  const revoke = useMutation({
    mutationFn: async () => {
      if (!revokes) return;
      for (const { key_id } of keys) await client.desk.keys.revoke.mutate({ key_id });
    },
    onSuccess: onConfirm,
  });
  return (
    <ConfirmModal
      title={t('people.disable.title', { name })}
      text={t('people.disable.text')}
      action={t('people.disable')}
      isBusy={isBusy || revoke.isPending || data === undefined}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      {keys.length === 0 ? null : (
        <>
          <Checkbox
            checked={revokes}
            onChange={({ currentTarget: { checked } }) => setRevokes(checked)}
            label={t('people.disable.keys', { name })}
          />
          <List mb="md" ml="xl">
            {keys.map(({ key_id, last_four }) => (
              <List.Item key={key_id}>{`…${last_four}`}</List.Item>
            ))}
          </List>
        </>
      )}
    </ConfirmModal>
  );
};
