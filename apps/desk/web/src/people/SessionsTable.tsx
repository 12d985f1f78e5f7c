import { Badge, Button, Loader, Table, Text } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import { useText } from '../app/language.ts';
import { TableBox } from '../app/TableBox.tsx';
import { showTime } from '../app/times.ts';
import { browserName } from './browserName.ts';

type Session = inferRouterOutputs<PublicRouter>['desk']['people']['mySessions'][number];

export const SessionsTable = ({
  sessions,
  own,
  isBusy,
  onEnd,
}: {
  /** Undefined while they are loaded. */
  sessions: readonly Session[] | undefined;
  /** Id of the session of this browser, which ends by signing out. */
  own?: string;
  isBusy: boolean;
  onEnd: (sessionId: string) => void;
}) => {
  const t = useText();
  if (sessions === undefined) return <Loader aria-label={t('app.loading')} />;
  if (sessions.length === 0) return <Text>{t('people.sessions.none')}</Text>;
  return (
    <TableBox
      label={t('people.sessions')}
      columns={[
        t('people.sessions.browser'),
        t('people.sessions.since'),
        t('people.sessions.seen'),
        t('app.actions'),
      ]}
    >
      {sessions.map(({ id, user_agent, created_at, last_seen_at }) => (
        <Table.Tr key={id}>
          <Table.Td title={user_agent}>{browserName(user_agent)}</Table.Td>
          <Table.Td>{showTime(created_at)}</Table.Td>
          <Table.Td>{showTime(last_seen_at)}</Table.Td>
          <Table.Td>
            {id === own ? (
              <Badge variant="default" miw="max-content">
                {t('people.sessions.own')}
              </Badge>
            ) : (
              <Button
                size="xs"
                variant="default"
                disabled={isBusy}
                aria-label={t('people.sessions.endOf', { browser: browserName(user_agent) })}
                onClick={() => onEnd(id)}
              >
                {t('people.sessions.end')}
              </Button>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </TableBox>
  );
};
