import './feedback.css';
import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { calls, client } from '../app/calls.ts';
import { textOfError } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { ExamLinks } from './ExamLinks.tsx';
import { FeedbackSheet } from './FeedbackSheet.tsx';
import { OnePdf } from './OnePdf.tsx';

const PAGE = '50';

/**
 * What candidates get back: the checked copies as one ZIP file, and a feedback sheet for each candidate, which the
 * browser prints or saves as one PDF, a candidate a page.
 */
export const ReturnPage = () => {
  const t = useText();
  const { examId } = useParams({ from: '/signed-in/exams/$examId/return' });
  const exam = useQuery(calls.exams.get.queryOptions({ exam_id: examId }));
  const questions = useQuery(calls.questions.list.queryOptions({ exam_id: examId, query: {} }));
  const results = useInfiniteQuery({
    queryKey: ['feedback sheets', examId],
    queryFn: ({ pageParam, signal }) =>
      client.submissions.resultsOfExam.query(
        { exam_id: examId, query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Marks on a sheet must not be old: each visit reads them anew. A look at another window does not.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const { hasNextPage, isFetching, fetchNextPage, error } = results;
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, error]);
  const sheets = (results.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ status }) => status === 'graded' || status === 'partially_graded')
    .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other), undefined, { numeric: true }));
  const isComplete = results.isSuccess && questions.isSuccess && !hasNextPage;
  const open = sheets.filter(({ needs_review }) => needs_review).length;
  const problem = exam.error ?? questions.error ?? error;
  const texts = new Map(questions.data?.questions.map(({ id, text }) => [id, text]));
  return (
    <Page title={t('deciding.return.title')}>
      <div className="no-print">
        <ExamLinks examId={examId} here="/return" />
        {problem === null ? null : (
          <Alert role="alert" color="red" variant="outline" mb="sm">
            {textOfError(problem)}
          </Alert>
        )}
        {open === 0 ? null : (
          <Alert variant="default" mb="sm">
            {t('deciding.return.open', { count: open })}
          </Alert>
        )}
        <Group mb="sm">
          <Button disabled={!isComplete || sheets.length === 0} onClick={() => print()}>
            {t('deciding.return.print')}
          </Button>
          {exam.data?.mode === 'handwritten' ? <OnePdf examId={examId} title={exam.data.title} /> : null}
          <Text role="status">
            {t(isComplete ? 'deciding.return.sheets' : 'deciding.return.loading', { count: sheets.length })}
          </Text>
        </Group>
        <Text size="sm" mb="xs">
          {t('deciding.return.explained')}
        </Text>
        {exam.data?.mode === 'handwritten' ? (
          <List mb="md">
            <List.Item>
              <Anchor href={`/downloads/exams/${examId}/checked-copies.zip`} download underline="always">
                {t('deciding.downloads.copies')}
              </Anchor>
            </List.Item>
          </List>
        ) : null}
      </div>
      {exam.data === undefined
        ? null
        : sheets.map((result) => (
            <FeedbackSheet key={result.submission_id} title={exam.data.title} texts={texts} result={result} />
          ))}
    </Page>
  );
};

const nameOf = ({ candidate }: { candidate: { roll_number: string | null; external_id: string } }): string =>
  candidate.roll_number ?? candidate.external_id;
