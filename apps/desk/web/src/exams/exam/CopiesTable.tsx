import { Button, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import type { ExamOverview } from '../types.ts';
import { CopyRow } from './CopyRow.tsx';
import { isAtWork, pauseFor } from './progress.ts';

const SHOWN = ['all', 'none', 'unfinished', 'failed', 'needs_review', 'graded'] as const;
const SEARCH_DELAY_MS = 250;

/** The candidates of an exam, each with the live copy. */
export const CopiesTable = ({ exam }: { exam: ExamOverview }) => {
  const t = useText();
  const [search, setSearch] = useState('');
  const [show, setShow] = useState<(typeof SHOWN)[number]>('all');
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const copies = useInfiniteQuery({
    ...calls.desk.exams.copies.infiniteQueryOptions(
      { exam_id: exam.id, show, ...(wanted === '' ? {} : { search: wanted }) },
      { getNextPageParam: (page) => page.next_cursor, initialCursor: undefined },
    ),
    refetchInterval: pauseFor(isAtWork(exam)),
    placeholderData: (before) => before,
  });
  // Also after the last copy is graded, when no further read is due soon.
  const counts = JSON.stringify(exam.submissions);
  const { refetch } = copies;
  useEffect(() => void refetch(), [counts, refetch]);
  const rows = copies.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <Group mb="sm" align="end">
        <TextInput
          type="search"
          label={t('exams.searchCandidate')}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          maxLength={255}
        />
        <Select
          label={t('exams.show')}
          data={SHOWN.map((value) => ({ value, label: t(`exams.show.${value}`) }))}
          value={show}
          onChange={(value) => setShow(SHOWN.find((one) => one === value) ?? 'all')}
          allowDeselect={false}
        />
      </Group>
      {copies.isSuccess && rows.length === 0 ? (
        <Text>{t(show === 'all' && wanted === '' ? 'exams.noCandidates' : 'exams.noneFound')}</Text>
      ) : null}
      {rows.length > 0 ? (
        <Table.ScrollContainer minWidth={700} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-labelledby="copies">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t('exams.candidate')}</Table.Th>
                <Table.Th scope="col">{t('exams.rollNumber')}</Table.Th>
                <Table.Th scope="col">{t('exams.status')}</Table.Th>
                {exam.mode === 'handwritten' ? <Table.Th scope="col">{t('exams.pages')}</Table.Th> : null}
                <Table.Th scope="col">{t('exams.actions')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((copy) => (
                <CopyRow key={copy.candidate.id} exam={exam} copy={copy} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : null}
      {copies.hasNextPage ? (
        <Button
          mt="sm"
          variant="default"
          loading={copies.isFetchingNextPage}
          onClick={() => void copies.fetchNextPage()}
        >
          {t('exams.more')}
        </Button>
      ) : null}
    </>
  );
};
