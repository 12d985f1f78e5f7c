import { Progress, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import type { ExamOverview } from '../types.ts';
import { done } from './progress.ts';

export const ExamProgress = ({ exam }: { exam: ExamOverview }) => {
  const t = useText();
  const { total, failed } = exam.submissions;
  if (total === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('exams.noCopies')}
      </Text>
    );
  const text = t('exams.graded', { done: done(exam), total });
  return (
    <>
      <Progress.Root size="sm" aria-hidden>
        <Progress.Section value={(100 * (done(exam) - failed)) / total} color="green" />
        <Progress.Section value={(100 * failed) / total} color="red" />
      </Progress.Root>
      <Text size="sm">
        {text}
        {failed > 0 ? `, ${t('exams.failed', { count: failed })}` : ''}
      </Text>
    </>
  );
};
