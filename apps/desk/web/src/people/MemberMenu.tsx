import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PublicRouter } from '@evaluation/core-client';
import type { inferRouterOutputs } from '@trpc/server';
import { calls } from '../app/calls.ts';
import { failureIn } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { notify, notifyError, notifyProblem } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { DisableModal } from './DisableModal.tsx';
import { SessionsModal } from './SessionsModal.tsx';

export type Member = inferRouterOutputs<PublicRouter>['desk']['people']['list']['data'][number];

export const MemberMenu = ({
  member,
  onChanged,
  onLink,
}: {
  member: Member;
  onChanged: () => void;
  onLink: (path: string) => void;
}) => {
  const t = useText();
  const me = useStaff();
  const [open, setOpen] = useState<'disable' | 'sessions' | null>(null);
  const outcome = {
    onSuccess: () => {
      setOpen(null);
      notify(t('people.staff.changed', { name: member.name }));
      onChanged();
    },
    onError: (error: unknown) => {
      setOpen(null);
      if (failureIn(error)?.code === 'conflict') notifyProblem(t('people.staff.last'));
      else notifyError(error);
    },
  };
  const changeRole = useMutation(calls.desk.people.changeRole.mutationOptions(outcome));
  const disable = useMutation(calls.desk.people.disable.mutationOptions(outcome));
  const enable = useMutation(calls.desk.people.enable.mutationOptions(outcome));
  const reset = useMutation(
    calls.desk.people.resetPassword.mutationOptions({
      onSuccess: ({ path }) => onLink(path),
    }),
  );
  const { id: staff_id, name, role, state } = member;
  const otherRole = role === 'admin' ? 'examiner' : 'admin';
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="xs" aria-label={t('people.actionsOf', { name })}>
            {t('app.actions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => changeRole.mutate({ staff_id, role: otherRole })}>
            {t(`people.make.${otherRole}`)}
          </Menu.Item>
          {state === 'disabled' ? (
            <Menu.Item onClick={() => enable.mutate({ staff_id })}>{t('people.enable')}</Menu.Item>
          ) : (
            <>
              {staff_id === me.id ? null : (
                <Menu.Item onClick={() => reset.mutate({ staff_id })}>
                  {t(state === 'invited' ? 'people.newInvitation' : 'people.resetPassword')}
                </Menu.Item>
              )}
              <Menu.Item onClick={() => setOpen('sessions')}>{t('people.sessions')}</Menu.Item>
              <Menu.Item color="red" onClick={() => setOpen('disable')}>
                {t('people.disable')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'disable' ? (
        <DisableModal
          member={member}
          isBusy={disable.isPending}
          onConfirm={() => disable.mutate({ staff_id })}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'sessions' ? <SessionsModal member={member} onClose={() => setOpen(null)} /> : null}
    </>
  );
};
