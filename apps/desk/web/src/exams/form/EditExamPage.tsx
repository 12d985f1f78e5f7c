import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Exam, Question } from '@evaluation/rest-contract/schemas';
import { calls, client } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { tell, tellError } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { ExamForm } from './ExamForm.tsx';
import { ImportExam } from './ImportExam.tsx';
import { NO_PROBLEMS } from './problems.ts';
import { saveExam } from './saveExam.ts';
import { draftOfStored } from './stored.ts';

export const EditExamPage = () => {
  const t = useText();
  return (
    <Suspense fallback={<Page title={t('app.loading')}>{null}</Page>}>
      <StoredExam />
    </Suspense>
  );
};

const StoredExam = () => {
  const { id: examId = '' } = useParams({ strict: false });
  // Not read again while the teacher types.
  const fixed = { staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false } as const;
  const exam = useSuspenseQuery({ ...calls.exams.get.queryOptions({ exam_id: examId }), ...fixed });
  const list = useSuspenseQuery({
    ...calls.questions.list.queryOptions({ exam_id: examId, query: { include: 'rubric,model_answer' } }),
    ...fixed,
  });
  return <EditForm key={examId} exam={exam.data} questions={list.data.questions} />;
};

const EditForm = ({ exam, questions }: { exam: Exam; questions: readonly Question[] }) => {
  const t = useText();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [stored, setStored] = useState(() => draftOfStored(exam, questions));
  const [draft, setDraft] = useState(stored);
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const isDraft = exam.status === 'draft';

  /** What is stored now, with the keys of the form, so that a second attempt sends only the rest. */
  const readAgain = async () => {
    const [nowExam, nowList] = await Promise.all([
      client.exams.get.query({ exam_id: exam.id }),
      client.questions.list.query({ exam_id: exam.id, query: { include: 'rubric,model_answer' } }),
    ]);
    setStored(draftOfStored(nowExam, nowList.questions));
  };
  const save = useMutation({
    mutationFn: async () => {
      try {
        return await saveExam(exam.id, stored, draft);
      } catch (error) {
        await readAgain();
        throw error;
      }
    },
    onSuccess: async (found) => {
      setProblems(found);
      if (found.size > 0) {
        await readAgain();
        return;
      }
      await queryClient.invalidateQueries();
      tell(t('exams.saved'));
      await navigate({ to: `/exams/${exam.id}` });
    },
    onError: tellError,
  });
  return (
    <Page title={t('exams.editTitle', { title: exam.title })}>
      <ExamForm
        draft={draft}
        problems={problems}
        warnings={exam.warnings.map(({ message }) => message)}
        isDraft={isDraft}
        onChange={setDraft}
        tools={isDraft ? <ImportExam draft={draft} onChange={setDraft} /> : null}
        actions={
          <>
            <Button component={Link} to={`/exams/${exam.id}`} variant="default">
              {t('exams.cancel')}
            </Button>
            <Button loading={save.isPending} onClick={() => save.mutate()}>
              {t('exams.save')}
            </Button>
          </>
        }
      />
    </Page>
  );
};
