import { Badge, Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls, client } from '../app/calls.ts';
import { ConfirmModal } from '../app/ConfirmModal.tsx';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { PagedTable } from '../app/PagedTable.tsx';
import { usePages } from '../app/pages.ts';
import { ShownOnce } from '../app/ShownOnce.tsx';
import { showNumber, showTime } from '../app/times.ts';
import { KeyModal } from './KeyModal.tsx';
import { isRevocable, scopeName, stateOfKey, type Key } from './keys.ts';

export const KeysPage = () => {
  const t = useText();
  const queryClient = useQueryClient();
  /** The key whose terms are edited; `new` for a key that is being made. */
  const [edited, setEdited] = useState<Key | 'new' | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const listKey = calls.desk.keys.list.queryKey();
  const pages = usePages<Key, { created_at: string; id: string }>({
    key: [...listKey, 'pages'],
    read: async (before) => {
      const page = await client.desk.keys.list.query(before === null ? {} : { before });
      return { data: page.data, next: page.next_before };
    },
  });
  const refresh = () => void queryClient.invalidateQueries({ queryKey: listKey });
  const revoke = useMutation(
    calls.desk.keys.revoke.mutationOptions({
      onSuccess: refresh,
      onSettled: () => setRevoking(null),
    }),
  );
  return (
    <Page
      title={t('administration.keys.title')}
      actions={<Button onClick={() => setEdited('new')}>{t('administration.keys.new')}</Button>}
    >
      <PagedTable
        label={t('administration.keys.title')}
        empty={t('administration.keys.empty')}
        pages={pages}
        keyOf={({ key_id }) => key_id}
        columns={[
          { heading: t('administration.keys.key'), cell: ({ last_four }) => `…${last_four}` },
          {
            heading: t('administration.keys.scopes'),
            cell: ({ scopes }) => scopes.map((scope) => t(scopeName(scope))).join(', '),
          },
          {
            heading: t('administration.keys.cap'),
            cell: ({ daily_copy_cap: cap }) =>
              cap === null ? t('administration.keys.noCap') : showNumber(cap),
          },
          {
            heading: t('administration.keys.expires'),
            cell: ({ expires_at: at }) => (at === null ? t('app.never') : showTime(at)),
          },
          {
            heading: t('administration.keys.lastUsed'),
            cell: ({ last_used_at: at }) => (at === null ? t('app.never') : showTime(at)),
          },
          {
            heading: t('administration.keys.maker'),
            cell: ({ made_by: id, maker }) =>
              id === null ? t('administration.audit.person.operator') : (maker ?? id),
          },
          {
            heading: t('administration.keys.state'),
            cell: (key) => (
              <Badge variant="default" miw="max-content">
                {t(`administration.keys.${stateOfKey(key)}`)}
              </Badge>
            ),
          },
          {
            heading: t('app.actions'),
            cell: (key) =>
              isRevocable(key) ? (
                <Group gap="xs" wrap="nowrap">
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('administration.keys.changeOf', { key: `…${key.last_four}` })}
                    onClick={() => setEdited(key)}
                  >
                    {t('administration.keys.change')}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('administration.keys.revokeOf', { key: `…${key.last_four}` })}
                    onClick={() => setRevoking(key)}
                  >
                    {t('administration.keys.revoke')}
                  </Button>
                </Group>
              ) : null,
          },
        ]}
      />
      {edited === null ? null : (
        <KeyModal
          known={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={(apiKey) => {
            setEdited(null);
            setMade(apiKey);
            refresh();
          }}
        />
      )}
      {made === null ? null : (
        <ShownOnce
          title={t('administration.keys.made')}
          explanation={t('administration.keys.once')}
          label={t('administration.keys.key')}
          value={made}
          onClose={() => setMade(null)}
        />
      )}
      {revoking === null ? null : (
        <ConfirmModal
          title={t('administration.keys.revoke.title', { key: `…${revoking.last_four}` })}
          text={t('administration.keys.revoke.text')}
          action={t('administration.keys.revoke')}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate({ key_id: revoking.key_id })}
          onClose={() => setRevoking(null)}
        />
      )}
    </Page>
  );
};
