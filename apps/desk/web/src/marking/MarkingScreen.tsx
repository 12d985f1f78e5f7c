import { Alert, Anchor, Badge, Group, SegmentedControl, Switch, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useText } from '../app/language.ts';
import { notify, notifyError } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import type { ReviewSearch } from '../app/reviewSearch.ts';
import { ApproveCopy } from './ApproveCopy.tsx';
import { CopyPages } from './CopyPages.tsx';
import { KeyHelp } from './KeyHelp.tsx';
import { needsTeacher } from './needsTeacher.ts';
import { Presence } from './Presence.tsx';
import { QuestionList } from './QuestionList.tsx';
import { QuestionPanel } from './QuestionPanel.tsx';
import { SaveState } from './SaveState.tsx';
import { useMarking } from './seenMarks.ts';
import { TypedAnswer } from './TypedAnswer.tsx';
import type { Order, Screen, Target } from './types.ts';
import { useExplanation } from './useExplanation.ts';
import { useOrder } from './useOrder.ts';

/** Places to which Previous leads back. */
const LONGEST_TRAIL = 500;

/** The page of the copy on the left, the question with its mark on the right. */
export const MarkingScreen = ({
  examId,
  order,
  all,
  review,
  screen,
  question,
}: {
  examId: string;
  order: Order;
  all: boolean;
  /** Filters of the review page, if the page was opened there. */
  review: ReviewSearch | undefined;
  screen: Screen;
  /** Question in the address. */
  question: string | undefined;
}) => {
  const t = useText();
  const navigate = useNavigate();
  const [hidesNames, setHidesNames] = useLocalStorage({
    key: 'evaluation-desk-hides-names',
    defaultValue: false,
  });
  const [criterion, setCriterion] = useState<{ of: string; index: number } | null>(null);
  const { trail } = useMarking();
  useExplanation();
  const chosen =
    screen.questions.find(({ result }) => result.question_id === question) ??
    screen.questions.find((each) => needsTeacher(screen, each) && each.is_own) ??
    screen.questions.find((each) => needsTeacher(screen, each)) ??
    screen.questions[0];
  // The first answer that needs a teacher is another one after its mark: the address keeps the one that is shown.
  const shownId = chosen?.result.question_id;
  useEffect(() => {
    if (question === shownId || shownId === undefined) return;
    void navigate({
      to: '/exams/$id/mark',
      params: { id: examId },
      search: (before) => ({ ...before, question: shownId }),
      replace: true,
    });
  }, [question, shownId, navigate, examId]);
  const here = { submission: screen.submission_id, ...(shownId === undefined ? {} : { question: shownId }) };
  const scope = { ...(all ? { all: true as const } : {}), ...(review === undefined ? {} : { review }) };
  const walk = useOrder(examId, order, { all, review }, screen, chosen?.result.question_id ?? '');
  if (chosen === undefined) return <Alert variant="default">{t('marking.nothing')}</Alert>;

  const place = `${chosen.result.question_id} ${screen.submission_id}`;
  const goTo = async (found: Promise<Target | null>, isBack = false): Promise<void> => {
    try {
      const target = await found;
      if (target === null) {
        notify(t(screen.exam.is_shared && !all && review === undefined ? 'marking.end.own' : 'marking.end'));
        return;
      }
      if (!isBack) {
        trail.push({ exam: examId, submission: screen.submission_id, question: chosen.result.question_id });
        if (trail.length > LONGEST_TRAIL) trail.shift();
      }
      await navigate({
        to: '/exams/$id/mark',
        params: { id: target.exam ?? examId },
        search: {
          order,
          ...scope,
          submission: target.submission,
          ...(target.question === undefined ? {} : { question: target.question }),
        },
      });
    } catch (error) {
      notifyError(error);
    }
  };
  const chosenCriterion = criterion?.of === place ? criterion.index : null;
  const { candidate } = screen;
  return (
    <Page
      title={`${t('marking.title')}: ${screen.exam.title}`}
      size="100%"
      isCompact
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('marking.order')}
            value={review === undefined ? order : 'review'}
            onChange={(value) => {
              if (value === 'review') return;
              void navigate({
                to: '/exams/$id/mark',
                params: { id: examId },
                search: {
                  ...here,
                  ...(all ? { all } : {}),
                  order: value === 'question' ? 'question' : 'copy',
                },
              });
            }}
            data={[
              ...(review === undefined ? [] : [{ value: 'review', label: t('deciding.review.title') }]),
              { value: 'question', label: t('marking.order.question') },
              { value: 'copy', label: t('marking.order.copy') },
            ]}
          />
          {candidate === null ? (
            <Badge variant="default">{t('marking.blind')}</Badge>
          ) : (
            <>
              {hidesNames ? null : (
                <Text size="sm" fw={700}>
                  {[candidate.name, candidate.roll_number ?? candidate.external_id]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              )}
              <Switch
                size="xs"
                checked={hidesNames}
                onChange={(event) => setHidesNames(event.currentTarget.checked)}
                label={t('marking.hideNames')}
              />
            </>
          )}
          {screen.exam.is_shared && review === undefined ? (
            <Switch
              size="xs"
              checked={all}
              onChange={(event) => {
                const showsAll = event.currentTarget.checked;
                void navigate({
                  to: '/exams/$id/mark',
                  params: { id: examId },
                  search: { ...here, order, ...(showsAll ? { all: showsAll } : {}) },
                  replace: true,
                });
              }}
              label={t('marking.all')}
            />
          ) : null}
          <Text size="sm">
            {t('marking.total', { awarded: screen.totals.awarded, max: screen.totals.max })}
          </Text>
          <ApproveCopy screen={screen} />
          <Presence screen={screen} />
          <SaveState />
          <Group gap="xs">
            <KeyHelp />
            {review === undefined ? null : (
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/review" search={review} />}>
                {t('marking.backToReview')}
              </Anchor>
            )}
            <Anchor size="sm" component={Link} to={`/exams/${examId}`}>
              {t('exams.backToExam')}
            </Anchor>
          </Group>
        </>
      }
    >
      <QuestionList
        order={review === undefined ? order : 'copy'}
        all={all}
        screen={screen}
        chosen={chosen.result.question_id}
        onChoose={(id) => void goTo(Promise.resolve({ submission: screen.submission_id, question: id }))}
      />
      <div className="marking-columns">
        <section className="marking-page" aria-label={t('marking.page')}>
          {screen.copy === null ? (
            <TypedAnswer question={chosen} criterion={chosenCriterion} />
          ) : (
            <CopyPages
              screen={screen}
              copy={screen.copy}
              chosen={chosen.result.question_id}
              criterion={chosenCriterion}
            />
          )}
        </section>
        <QuestionPanel
          key={place}
          screen={screen}
          question={chosen}
          criterion={chosenCriterion}
          named={hidesNames ? null : (candidate?.roll_number ?? candidate?.external_id ?? null)}
          onCriterion={(index) => setCriterion({ of: place, index })}
          onNext={() => goTo(walk.next())}
          onNextOpen={() => goTo(walk.nextOpen())}
          onPrevious={() => goTo(walk.previous(), true)}
          onGoTo={(target) => goTo(Promise.resolve(target))}
        />
      </div>
    </Page>
  );
};
