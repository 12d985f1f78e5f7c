import { Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { MoreButton } from '../../app/MoreButton.tsx';
import { TableBox } from '../../app/TableBox.tsx';
import type { ExamOverview } from '../types.ts';
import { CopyRow } from './CopyRow.tsx';
import { isAtWork, pauseFor } from './progress.ts';

const SHOWN = ['all', 'none', 'unfinished', 'failed', 'needs_review', 'graded'] as const;
const SEARCH_DELAY_MS = 250;

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
  // Reads again when the counts change, because the interval is long once the last copy is graded.
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
        <TableBox
          label={t(exam.mode === 'handwritten' ? 'exams.copies' : 'exams.answers')}
          minWidth={700}
          columns={[
            t('exams.candidate'),
            t('exams.rollNumber'),
            t('exams.status'),
            ...(exam.mode === 'handwritten' ? [t('exams.pages')] : []),
            t('app.actions'),
          ]}
        >
          {rows.map((copy) => (
            <CopyRow key={copy.candidate.id} exam={exam} copy={copy} />
          ))}
        </TableBox>
      ) : null}
      <MoreButton list={copies} />
    </>
  );
};
