import { Button, Group, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls, client } from '../app/calls.ts';
import { ConfirmModal } from '../app/ConfirmModal.tsx';
import { useText } from '../app/language.ts';
import { notify, notifyError, notifyProblem } from '../app/notices.ts';
import { Section } from '../app/Section.tsx';
import { showTime } from '../app/times.ts';
import { hasPasskeys, type Passkey } from './passkeys.ts';

/** Passkeys of the signed-in person: with the first one, the password alone does not open the account any more. */
export const Passkeys = () => {
  const t = useText();
  const queryClient = useQueryClient();
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const queryKey = calls.desk.people.myPasskeys.queryKey();
  const { data: passkeys = [] } = useQuery(calls.desk.people.myPasskeys.queryOptions());
  const refresh = () => void queryClient.invalidateQueries({ queryKey });
  const add = useMutation({
    mutationFn: async () => {
      const { origin } = window.location;
      const { options, challenge } = await client.desk.people.passkeyOptions.mutate({ origin });
      const { startRegistration } = await import('@simplewebauthn/browser');
      const response = await startRegistration({ optionsJSON: options }).catch(() => null);
      if (response === null) return false;
      const name = t('people.passkeys.name', { time: showTime(new Date().toISOString()) });
      await client.desk.people.addPasskey.mutate({ origin, challenge, name, response });
      return true;
    },
    onSuccess: (isAdded) => {
      if (isAdded) notify(t('people.passkeys.added'));
      else notifyProblem(t('people.passkeys.stopped'));
      refresh();
    },
    onError: notifyError,
  });
  const remove = useMutation(
    calls.desk.people.removePasskey.mutationOptions({
      onSuccess: refresh,
      onSettled: () => setRemoving(null),
    }),
  );
  if (!hasPasskeys()) return null;
  return (
    <Section id="own-passkeys" title={t('people.passkeys.title')} maw={640}>
      <Text size="sm">{t('people.passkeys.help')}</Text>
      {passkeys.length === 0 ? null : (
        <Table aria-label={t('people.passkeys.title')}>
          <Table.Tbody>
            {passkeys.map((passkey) => (
              <Table.Tr key={passkey.id}>
                <Table.Td>{passkey.name}</Table.Td>
                <Table.Td>
                  {passkey.last_used_at === null
                    ? t('people.passkeys.unused')
                    : t('people.passkeys.used', { time: showTime(passkey.last_used_at) })}
                </Table.Td>
                <Table.Td>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('people.passkeys.removeOf', { name: passkey.name })}
                    onClick={() => setRemoving(passkey)}
                  >
                    {t('people.passkeys.remove')}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Group mt="sm">
        <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
          {t('people.passkeys.add')}
        </Button>
      </Group>
      {removing === null ? null : (
        <ConfirmModal
          title={t('people.passkeys.removeTitle', { name: removing.name })}
          text={t(passkeys.length === 1 ? 'people.passkeys.removeLast' : 'people.passkeys.removeText')}
          action={t('people.passkeys.remove')}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ id: removing.id })}
          onClose={() => setRemoving(null)}
        />
      )}
    </Section>
  );
};
