import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { calls } from '../../app/calls.ts';
import { FilterSelect } from '../../app/FilterSelect.tsx';
import { useText } from '../../app/language.ts';
import { MoreButton } from '../../app/MoreButton.tsx';
import { Page } from '../../app/Page.tsx';
import { useStaff } from '../../app/session.ts';
import { isAtWork, pauseFor } from '../exam/progress.ts';
import { ExamsTable } from './ExamsTable.tsx';
import { FirstSteps } from './FirstSteps.tsx';

const STATUSES = ['draft', 'open', 'finalized'] as const;
const SOURCES = ['api', 'desk'] as const;
type Status = (typeof STATUSES)[number];
type Source = (typeof SOURCES)[number];

const SEARCH_DELAY_MS = 250;

export const ExamsPage = () => {
  const t = useText();
  const staff = useStaff();
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<Status | null>(null);
  const [source, setSource] = useState<Source | null>(null);
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const filter = {
    ...(wanted === '' ? {} : { search: wanted }),
    ...(status === null ? {} : { status }),
    ...(source === null ? {} : { source }),
  };
  const exams = useInfiniteQuery({
    ...calls.desk.exams.list.infiniteQueryOptions(filter, {
      getNextPageParam: (page) => page.next_cursor,
      initialCursor: undefined,
    }),
    refetchInterval: ({ state }) =>
      pauseFor(state.data?.pages.some((page) => page.data.some(isAtWork)) ?? false),
    placeholderData: (before) => before,
  });
  const isFiltered = Object.keys(filter).length > 0;
  const rows = exams.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Page
      title={t('exams.title')}
      actions={
        staff.role === 'admin' ? (
          <Button component={Link} to="/exams/new">
            {t('exams.new')}
          </Button>
        ) : null
      }
    >
      <Group component="search" mb="md" align="end">
        <TextInput
          label={t('exams.search')}
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          maxLength={255}
          w={280}
        />
        <FilterSelect
          label={t('exams.status')}
          data={STATUSES.map((value) => ({ value, label: t(`exams.status.${value}`) }))}
          value={status}
          onChange={(value) => setStatus(STATUSES.find((one) => one === value) ?? null)}
        />
        <FilterSelect
          label={t('exams.source')}
          data={SOURCES.map((value) => ({ value, label: t(`exams.source.${value}`) }))}
          value={source}
          onChange={(value) => setSource(SOURCES.find((one) => one === value) ?? null)}
        />
      </Group>
      {exams.isError && exams.data === undefined ? <Text role="alert">{t('exams.notLoaded')}</Text> : null}
      {exams.isPending ? <Text>{t('app.loading')}</Text> : null}
      {exams.isSuccess && rows.length === 0 ? (
        <Text mb="md">{t(isFiltered ? 'exams.noneFound' : 'exams.none')}</Text>
      ) : null}
      {exams.isSuccess && rows.length === 0 && !isFiltered && staff.role === 'admin' ? <FirstSteps /> : null}
      {rows.length > 0 ? <ExamsTable exams={rows} /> : null}
      <MoreButton list={exams} />
    </Page>
  );
};
