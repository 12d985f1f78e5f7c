import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { needsTeacher } from './needsTeacher.ts';
import type { Order, Screen } from './types.ts';

/**
 * The questions of the paper. By question: how many answers to each are decided, and signs for those to review (!) and
 * flagged (⚑). By copy: the marks of the copy on the screen. If work is shared out, the counts are of the person's own.
 */
export const QuestionList = ({
  order,
  all,
  screen,
  chosen,
  onChoose,
}: {
  order: Order;
  /** Counts all answers also if work is shared out. */
  all: boolean;
  screen: Screen;
  chosen: string;
  onChoose: (questionId: string) => void;
}) => {
  const t = useText();
  const { data } = useQuery(
    calls.desk.marking.progress.queryOptions(
      { exam_id: screen.exam.id },
      { enabled: order === 'question', staleTime: 15_000 },
    ),
  );
  const isOwn = data?.is_shared === true && !all;
  const progressOf = new Map(data?.data.map((progress) => [progress.question_id, progress]));
  return (
    <ul className="marking-questions" aria-label={t('marking.questions')}>
      {screen.questions.map((question) => {
        const { result } = question;
        const progress = order === 'question' ? progressOf.get(result.question_id) : undefined;
        const counts =
          progress !== undefined && isOwn
            ? { decided: progress.own_decided, answers: progress.own }
            : progress;
        const isDone =
          counts === undefined ? !needsTeacher(screen, question) : counts.decided >= counts.answers;
        const facts =
          progress === undefined
            ? [t('marking.list.marks', { awarded: result.awarded ?? '–', max: result.max })]
            : [
                t('marking.list.decided', { decided: progress.decided, answers: progress.answers }),
                ...(isOwn
                  ? [t('marking.list.own', { decided: progress.own_decided, own: progress.own })]
                  : []),
                t('marking.list.mine', { number: progress.mine }),
                ...(progress.needs_review > 0
                  ? [t('marking.list.review', { number: progress.needs_review })]
                  : []),
                ...(progress.flagged > 0 ? [t('marking.list.flagged', { number: progress.flagged })] : []),
              ];
        return (
          <li key={result.question_id}>
            <Button
              size="compact-sm"
              variant={result.question_id === chosen ? 'filled' : isDone ? 'default' : 'light'}
              aria-current={result.question_id === chosen ? 'true' : undefined}
              title={facts.join(' · ')}
              onClick={() => onChoose(result.question_id)}
            >
              {result.label}
              <Text component="span" size="xs" ml={6}>
                {counts === undefined
                  ? `${result.awarded ?? '–'}/${result.max}`
                  : counts.answers === 0
                    ? '–'
                    : t('marking.list.decided', counts)}
                {(progress?.needs_review ?? 0) > 0 ? ' !' : ''}
                {(progress === undefined ? question.flag !== null : progress.flagged > 0) ? ' ⚑' : ''}
                {progress === undefined && isDone ? ' ✓' : ''}
              </Text>
            </Button>
          </li>
        );
      })}
    </ul>
  );
};
