import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import type { Screen, ScreenQuestion } from './types.ts';

/** What the guide of the question would give, with the nearest answers that a teacher has marked. */
export const Suggestion = ({ screen, question }: { screen: Screen; question: ScreenQuestion }) => {
  const t = useText();
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
  const suggestion = data?.data[0]?.suggestion ?? null;
  if (suggestion === null) return null;
  return (
    <Alert variant="default" title={t('marking.suggestion', { marks: suggestion.awarded })}>
      <Text size="sm">
        {t('marking.suggestion.how', {
          percent: Math.round(suggestion.agreement * 100),
          spread: suggestion.spread.toFixed(1),
        })}
      </Text>
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
