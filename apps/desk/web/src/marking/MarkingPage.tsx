import './marking.css';
import { Alert, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { calls } from '../app/calls.ts';
import { textOfError } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { MarkingScreen } from './MarkingScreen.tsx';
import { MarkingContext } from './seenMarks.ts';
import type { Screen } from './types.ts';
import { InkContext, useStartedInk } from './useInk.ts';
import { useStartedMarking } from './useMarkQueue.ts';

const ROUTE = '/signed-in/exams/$id/mark';

/** The addresses on the screen expire, and pages that are not drawn yet are waited for. @returns 0 for never */
const secondsUntilNextRead = (screen: Screen | undefined): number => {
  if (screen?.copy == null) return 0;
  return screen.copy.pictures === null ? 5 : screen.copy.expires_in_seconds - 60;
};

/** Finds the copy to show: the one in the address, or the first open one in the examiner's order. */
export const MarkingPage = () => {
  const t = useText();
  const { id: examId } = useParams({ from: ROUTE });
  const {
    order = 'question',
    submission,
    question,
    all: showsAll = false,
    review,
  } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const marking = useStartedMarking();
  const ink = useStartedInk();
  const isChosen = submission !== undefined;
  const open = useQuery(
    calls.desk.marking.order.queryOptions(
      { exam_id: examId, limit: 1, open_only: true, own_only: !showsAll },
      { enabled: !isChosen },
    ),
  );
  const all = useQuery(
    calls.desk.marking.order.queryOptions(
      { exam_id: examId, limit: 1 },
      { enabled: !isChosen && open.data?.data.length === 0 },
    ),
  );
  const first = open.data?.data[0] ?? all.data?.data[0];
  useEffect(() => {
    if (isChosen || first === undefined) return;
    void navigate({
      to: '/exams/$id/mark',
      params: { id: examId },
      search: (before) => ({ ...before, submission: first.submission_id }),
      replace: true,
    });
  }, [isChosen, first, navigate, examId]);
  const screen = useQuery(
    calls.desk.marking.screen.queryOptions(
      { submission_id: submission ?? '' },
      // A mark that the page shows must not be old: an examiner decides by it.
      {
        enabled: isChosen,
        refetchOnWindowFocus: true,
        refetchInterval: ({ state }) => secondsUntilNextRead(state.data) * 1000,
      },
    ),
  );

  // An undo can lead to a copy of another exam.
  const examOfCopy = screen.data?.submission_id === submission ? screen.data?.exam.id : undefined;
  useEffect(() => {
    if (examOfCopy === undefined || examOfCopy === examId) return;
    void navigate({
      to: '/exams/$id/mark',
      params: { id: examOfCopy },
      search: (before) => before,
      replace: true,
    });
  }, [examOfCopy, examId, navigate]);

  const error = open.error ?? all.error ?? (screen.data === undefined ? screen.error : null);
  if (error !== null) {
    return (
      <Page title={t('marking.title')}>
        <Alert variant="default" role="alert">
          {textOfError(error)}
        </Alert>
      </Page>
    );
  }
  if (!isChosen && all.data?.data.length === 0) {
    return (
      <Page title={t('marking.title')}>
        <Alert variant="default">{t('marking.nothing')}</Alert>
      </Page>
    );
  }
  if (
    marking === null ||
    ink === null ||
    screen.data === undefined ||
    screen.data.submission_id !== submission
  ) {
    return (
      <Page title={t('marking.title')}>
        <Loader aria-label={t('app.loading')} role="status" />
      </Page>
    );
  }
  return (
    <MarkingContext value={marking}>
      <InkContext value={ink}>
        <MarkingScreen
          examId={examId}
          order={order}
          all={showsAll}
          review={review}
          screen={screen.data}
          question={question}
        />
      </InkContext>
    </MarkingContext>
  );
};
