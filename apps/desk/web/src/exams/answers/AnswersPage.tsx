import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { Page } from '../../app/Page.tsx';
import { BackToExam } from '../BackToExam.tsx';
import { AnswerForm } from './AnswerForm.tsx';
import { AnswersImport } from './AnswersImport.tsx';

export const AnswersPage = () => {
  const t = useText();
  const { id: examId = '' } = useParams({ strict: false });
  const exam = useQuery(calls.desk.exams.overview.queryOptions({ exam_id: examId }));
  const list = useQuery(calls.questions.list.queryOptions({ exam_id: examId, query: {} }));
  const questions = list.data?.questions ?? [];
  return (
    <Page
      title={t('exams.typed.title', { title: exam.data?.title ?? '' })}
      actions={<BackToExam examId={examId} />}
    >
      <Stack>
        <Tabs defaultValue="one" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="one">{t('exams.typed.one')}</Tabs.Tab>
            <Tabs.Tab value="many">{t('exams.typed.many')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="one" pt="md">
            <AnswerForm examId={examId} questions={questions} />
          </Tabs.Panel>
          <Tabs.Panel value="many" pt="md">
            <AnswersImport examId={examId} questions={questions} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
};
