import { Button, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type MouseEvent } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { MoreButton } from '../../app/MoreButton.tsx';
import { useStaff } from '../../app/session.ts';
import type { ExamOverview } from '../types.ts';
import { BookRow } from './BookRow.tsx';
import './markBook.css';
import { Outdated } from './Outdated.tsx';
import { isAtWork, pauseFor } from './progress.ts';

const SHOWN = [
  'all',
  'none',
  'unfinished',
  'failed',
  'needs_review',
  'flagged',
  'changed',
  'outdated',
  'graded',
] as const;
const SEARCH_DELAY_MS = 250;

/** A row a candidate, a column a question. A mark leads to its answer on the marking screen. */
export const MarkBook = ({ exam }: { exam: ExamOverview }) => {
  const t = useText();
  const { role } = useStaff();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const [show, setShow] = useState<(typeof SHOWN)[number]>('all');
  const [order, setOrder] = useState({ sort: 'candidate', descending: false });
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const copies = useInfiniteQuery({
    ...calls.desk.exams.markBook.infiniteQueryOptions(
      { exam_id: exam.id, show, ...order, ...(wanted === '' ? {} : { search: wanted }) },
      { getNextPageParam: (page) => page.next_cursor, initialCursor: undefined },
    ),
    refetchInterval: pauseFor(isAtWork(exam)),
    placeholderData: (before) => before,
  });
  // Reads again when the counts change, because the interval is long once the last copy is graded.
  const counts = JSON.stringify(exam.submissions);
  const { refetch } = copies;
  useEffect(() => void refetch(), [counts, refetch]);
  const pages = copies.data?.pages ?? [];
  const [first] = pages;
  // A row that has moved while pages were read can be on two of them.
  const rows = [
    ...new Map(pages.flatMap((page) => page.data).map((row) => [row.candidate.id, row])).values(),
  ];
  const questions = first?.questions ?? [];
  const columns = [
    { key: 'candidate', name: t('exams.candidate'), title: t('exams.candidate'), isNumber: false },
    ...questions.map(({ question_id, label, max }) => ({
      key: question_id,
      name: label,
      title: t('exams.book.question', { label, max }),
      isNumber: true,
    })),
    { key: 'total', name: t('exams.book.total'), title: t('exams.book.total'), isNumber: true },
  ];
  const sortBy = (key: string): void =>
    setOrder((before) => ({
      sort: key,
      descending: before.sort === key ? !before.descending : key !== 'candidate',
    }));
  /** The marks are plain links, because a thousand links of the router are slow to draw. */
  const follow = (event: MouseEvent<HTMLTableElement>): void => {
    const link = event.target instanceof Element ? event.target.closest('a[data-mark]') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    void navigate({ href: link.getAttribute('href') ?? '' });
  };
  return (
    <>
      {role === 'admin' ? (
        <div className="no-print">
          <Outdated examId={exam.id} onShow={() => setShow('outdated')} />
        </div>
      ) : null}
      <Group mb="sm" align="end" className="no-print">
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
        <Button variant="default" onClick={() => print()}>
          {t('exams.book.print')}
        </Button>
        {role === 'admin' && exam.status !== 'draft' ? (
          <Button component={Link} to={`/exams/${exam.id}/share`} variant="default">
            {t('deciding.share.button')}
          </Button>
        ) : null}
      </Group>
      {copies.isSuccess && rows.length === 0 ? (
        <Text>{t(show === 'all' && wanted === '' ? 'exams.noCandidates' : 'exams.noneFound')}</Text>
      ) : null}
      {rows.length > 0 ? (
        <Table.ScrollContainer minWidth={500} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table
            className="mark-book"
            aria-label={t('exams.book')}
            withTableBorder
            stickyHeader
            onClick={follow}
          >
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ key, name, title, isNumber }) => (
                  <Table.Th
                    key={key}
                    scope="col"
                    title={title}
                    data-number={isNumber}
                    aria-sort={
                      order.sort === key ? (order.descending ? 'descending' : 'ascending') : undefined
                    }
                  >
                    {first?.is_sorted === true ? (
                      <button type="button" className="mark-book-sort" onClick={() => sortBy(key)}>
                        {name}
                        {order.sort === key ? (order.descending ? ' ▼' : ' ▲') : ''}
                      </button>
                    ) : (
                      name
                    )}
                  </Table.Th>
                ))}
                <Table.Th scope="col">{t('exams.status')}</Table.Th>
                {exam.mode === 'handwritten' ? <Table.Th scope="col">{t('exams.pages')}</Table.Th> : null}
                <Table.Th scope="col" className="no-print">
                  {t('app.actions')}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((copy) => (
                <BookRow key={copy.candidate.id} exam={exam} copy={copy} questions={questions} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : null}
      {rows.length > 0 ? (
        <Text size="sm" c="dimmed">
          {t('exams.book.legend')}
          {first?.is_sorted === true ? '' : ` ${t('exams.book.unsorted')}`}
        </Text>
      ) : null}
      <MoreButton list={copies} />
    </>
  );
};
