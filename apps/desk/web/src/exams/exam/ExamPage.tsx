import { Badge, Group, List, Stack, Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { Page } from '../../app/Page.tsx';
import { Section } from '../../app/Section.tsx';
import { useStaff } from '../../app/session.ts';
import { showDay } from '../../app/times.ts';
import { Downloads } from '../../deciding/Downloads.tsx';
import { Notice } from '../Notice.tsx';
import { SourceBadge } from '../list/ExamsTable.tsx';
import { textOfWarning } from '../textOfWarning.ts';
import { ExamActions } from './ExamActions.tsx';
import { ExaminersSection } from './ExaminersSection.tsx';
import { ExamProgress } from './ExamProgress.tsx';
import { MarkBook } from './MarkBook.tsx';
import { isAtWork, pauseFor } from './progress.ts';
import { RemoveSample } from './RemoveSample.tsx';

export const ExamPage = () => {
  const t = useText();
  return (
    <Suspense fallback={<Page title={t('app.loading')}>{null}</Page>}>
      <LoadedExam />
    </Suspense>
  );
};

const LoadedExam = () => {
  const t = useText();
  const me = useStaff();
  const { id: examId } = useParams({ strict: false });
  const { data: exam } = useSuspenseQuery({
    ...calls.desk.exams.overview.queryOptions({ exam_id: examId ?? '' }),
    refetchInterval: ({ state }) => pauseFor(state.data !== undefined && isAtWork(state.data)),
  });
  const stored = useQuery(calls.exams.get.queryOptions({ exam_id: exam.id }));
  const warnings = stored.data?.warnings ?? [];
  const labels = stored.data?.questions.map(({ label }) => label) ?? [];
  const { submissions } = exam;
  return (
    <Page title={exam.title} actions={<ExamActions exam={exam} />}>
      <Stack gap="md">
        <Group gap="xs">
          <Badge tt="none">{t(`exams.status.${exam.status}`)}</Badge>
          <SourceBadge source={exam.source} />
          <Text size="sm">
            {[
              t(`exams.mode.${exam.mode}`),
              exam.subject,
              exam.class,
              showDay(exam.conducted_on),
              t('exams.questionCount', { count: exam.question_count }),
              t('exams.marks', { marks: exam.total_marks }),
              exam.blind ? t('exams.blind') : null,
            ]
              .filter((part) => part !== null && part !== '')
              .join(' · ')}
          </Text>
        </Group>
        {exam.is_sample && me.role === 'admin' ? <RemoveSample examId={exam.id} /> : null}
        {warnings.length > 0 ? (
          <Notice kind="note" title={t('exams.warnings')}>
            <List size="sm">
              {warnings.map((warning) => (
                <List.Item key={`${warning.code} ${warning.message}`}>
                  {textOfWarning(warning, labels)}
                </List.Item>
              ))}
            </List>
          </Notice>
        ) : null}
        <section aria-label={t('exams.progress')}>
          <ExamProgress exam={exam} />
          {submissions.total > 0 ? (
            <Text size="sm" aria-live="polite">
              {t('exams.counts', {
                waiting: submissions.waiting,
                running: submissions.running,
                review: submissions.needs_review,
                finalized: submissions.finalized,
              })}
            </Text>
          ) : null}
        </section>
        <Section id="copies" title={t('exams.book')}>
          <MarkBook exam={exam} />
        </Section>
        {me.role === 'admin' ? <ExaminersSection examId={exam.id} /> : null}
        {submissions.total > 0 ? <Downloads examId={exam.id} /> : null}
      </Stack>
    </Page>
  );
};
