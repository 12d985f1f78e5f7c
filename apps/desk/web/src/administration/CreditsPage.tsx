import type { PublicRouter } from '@evaluation/core-client';
import { Anchor, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import { calls, client } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { PagedTable } from '../app/PagedTable.tsx';
import { usePages } from '../app/pages.ts';
import { showNumber, showTime } from '../app/times.ts';
import { SpendingChart } from './SpendingChart.tsx';

type CreditEntry = inferRouterOutputs<PublicRouter>['desk']['credits']['history']['data'][number];

export const CreditsPage = () => {
  const t = useText();
  const { data: credits } = useQuery(calls.credits.get.queryOptions());
  const pages = usePages<CreditEntry, string>({
    key: [...calls.desk.credits.history.queryKey(), 'pages'],
    read: async (before) => {
      const page = await client.desk.credits.history.query(before === null ? {} : { before });
      return { data: page.data, next: page.next_before };
    },
  });
  const figures = [
    ['available', credits?.available],
    ['balance', credits?.balance],
    ['committed', credits?.committed],
    ['spent', credits?.spent_30d],
  ] as const;
  return (
    <Page title={t('administration.credits.title')}>
      <Group component="dl" grow align="stretch" mt={0}>
        {figures.map(([name, value]) => (
          <Paper key={name} withBorder p="md">
            <Text component="dt" c="dimmed">
              {t(`administration.credits.${name}`)}
            </Text>
            <Text component="dd" m={0} fz="xl" fw={700}>
              {value === undefined ? '…' : showNumber(value)}
            </Text>
          </Paper>
        ))}
      </Group>
      <SpendingChart />
      <Title order={2} size="h3" mt="lg" mb="sm">
        {t('administration.credits.history')}
      </Title>
      <PagedTable
        label={t('administration.credits.history')}
        empty={t('administration.credits.empty')}
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          { heading: t('administration.time'), cell: ({ created_at }) => showTime(created_at) },
          {
            heading: t('administration.credits.kind'),
            cell: ({ kind }) => t(`administration.credits.kind.${kind}`),
          },
          {
            heading: t('administration.exam'),
            cell: ({ exam }) =>
              exam === null ? '' : <Anchor href={`/exams/${exam.id}`}>{exam.title}</Anchor>,
          },
          {
            heading: t('administration.credits.amount'),
            isNumber: true,
            cell: ({ amount }) => showNumber(amount),
          },
          {
            heading: t('administration.credits.balanceAfter'),
            isNumber: true,
            cell: ({ balance_after }) => showNumber(balance_after),
          },
        ]}
      />
    </Page>
  );
};
