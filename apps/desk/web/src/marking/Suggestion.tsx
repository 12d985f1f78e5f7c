import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import type { Screen, ScreenQuestion } from './types.ts';

type Suggested = NonNullable<
  inferRouterOutputs<PublicRouter>['guide']['suggestions']['data'][number]['suggestion']
>;

/** What the guide of the question would give for this answer; null if it suggests nothing. */
export const useSuggestion = (screen: Screen, question: ScreenQuestion): Suggested | null => {
  const isAsked = screen.exam.guide_mode !== 'off' && question.question.type === 'long_answer';
  const { data } = useQuery(
    calls.guide.suggestions.queryOptions(
      {
        exam_id: screen.exam.id,
        question_id: question.result.question_id,
        submission_id: screen.submission_id,
      },
      { enabled: isAsked, staleTime: 60_000 },
    ),
  );
  return data?.data[0]?.suggestion ?? null;
};

/** The suggested mark with the nearest answers that a teacher has marked. */
export const Suggestion = ({
  suggestion,
  isClosed,
  onTake,
}: {
  suggestion: Suggested;
  /** True if the marks of the copy cannot be changed. */
  isClosed: boolean;
  onTake: () => void;
}) => {
  const t = useText();
  return (
    <Alert variant="default" title={t('marking.suggestion', { marks: suggestion.awarded })}>
      <Text size="sm">
        {t('marking.suggestion.how', {
          percent: Math.round(suggestion.agreement * 100),
          spread: suggestion.spread.toFixed(1),
        })}
      </Text>
      <Button my="xs" size="compact-sm" variant="default" disabled={isClosed} onClick={onTake}>
        {t('marking.suggestion.take')}
      </Button>
      <details>
        <summary>{t('marking.nearest', { count: suggestion.nearest.length })}</summary>
        <ul>
          {suggestion.nearest.map(({ submission_id, awarded, answer }) => (
            <li key={submission_id}>
              <Text size="sm" dir="auto">
                {t('marking.nearest.mark', { marks: awarded })} {answer}
              </Text>
            </li>
          ))}
        </ul>
      </details>
    </Alert>
  );
};
