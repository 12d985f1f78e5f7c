import { Badge, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls, client } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { PagedTable } from '../app/PagedTable.tsx';
import { usePages } from '../app/pages.ts';
import { useStaff } from '../app/session.ts';
import { ShownOnce } from '../app/ShownOnce.tsx';
import { showTime } from '../app/times.ts';
import { InviteModal } from './InviteModal.tsx';
import { MemberMenu, type Member } from './MemberMenu.tsx';

export const StaffPage = () => {
  const t = useText();
  const me = useStaff();
  const queryClient = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const key = calls.desk.people.list.queryKey();
  const pages = usePages<Member, string>({
    key: [...key, 'pages'],
    read: async (after) => {
      const page = await client.desk.people.list.query(after === null ? {} : { after });
      return { data: page.data, next: page.next_after };
    },
  });
  const refresh = () => void queryClient.invalidateQueries({ queryKey: key });
  const showLink = (path: string) => setLink(`${window.location.origin}${path}`);

  return (
    <Page
      title={t('people.staff.title')}
      actions={<Button onClick={() => setInviting(true)}>{t('people.invite.open')}</Button>}
    >
      <PagedTable
        label={t('people.staff.title')}
        empty={t('people.staff.empty')}
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          {
            heading: t('people.name'),
            cell: ({ name, id }) => (id === me.id ? t('people.staff.you', { name }) : name),
          },
          { heading: t('people.email'), cell: ({ email }) => email },
          { heading: t('people.role'), cell: ({ role }) => t(`people.role.${role}`) },
          {
            heading: t('people.state'),
            cell: ({ state }) => (
              <Badge variant="default" miw="max-content">
                {t(`people.state.${state}`)}
              </Badge>
            ),
          },
          {
            heading: t('people.lastSignIn'),
            cell: ({ last_sign_in_at: at }) => (at === null ? t('app.never') : showTime(at)),
          },
          {
            heading: t('app.actions'),
            cell: (member) => <MemberMenu member={member} onChanged={refresh} onLink={showLink} />,
          },
        ]}
      />
      {isInviting ? (
        <InviteModal
          onClose={() => setInviting(false)}
          onInvited={(path) => {
            setInviting(false);
            showLink(path);
            refresh();
          }}
        />
      ) : null}
      {link === null ? null : (
        <ShownOnce
          title={t('people.link.title')}
          explanation={t('people.link.text')}
          label={t('people.link.label')}
          value={link}
          onClose={() => setLink(null)}
        />
      )}
    </Page>
  );
};
