import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { failureIn } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { notifyError } from '../app/notices.ts';
import { textIn } from './textIn.ts';

export const InviteModal = ({
  onInvited,
  onClose,
}: {
  /** Called with the path of the link by which the person sets a password. */
  onInvited: (path: string) => void;
  onClose: () => void;
}) => {
  const t = useText();
  const [emailProblem, setEmailProblem] = useState<string | null>(null);
  const invite = useMutation(
    calls.desk.people.invite.mutationOptions({
      onSuccess: ({ link }) => onInvited(link?.path ?? ''),
      onError: (error) => {
        if (failureIn(error)?.code === 'conflict') setEmailProblem(t('people.invite.exists'));
        else notifyError(error);
      },
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setEmailProblem(null);
    invite.mutate({
      email: textIn(fields, 'email'),
      name: textIn(fields, 'name'),
      role: fields.get('role') === 'admin' ? 'admin' : 'examiner',
    });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('people.invite.title')}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput name="name" label={t('people.name')} required maxLength={255} data-autofocus />
          <TextInput
            name="email"
            type="email"
            label={t('people.email')}
            required
            maxLength={254}
            error={emailProblem}
          />
          <Radio.Group name="role" label={t('people.role')} defaultValue="examiner">
            <Stack gap="xs" mt="xs">
              <Radio
                value="examiner"
                label={t('people.role.examiner')}
                description={t('people.role.examiner.may')}
              />
              <Radio value="admin" label={t('people.role.admin')} description={t('people.role.admin.may')} />
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={invite.isPending}>
              {t('people.invite.button')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
