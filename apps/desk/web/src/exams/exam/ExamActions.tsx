import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { tell, tellError } from '../../app/notices.ts';
import { useStaff } from '../../app/session.ts';
import { PageLink } from '../PageLink.tsx';
import type { ExamOverview } from '../types.ts';

/** What can be done with the exam in its status. */
export const ExamActions = ({ exam }: { exam: ExamOverview }) => {
  const t = useText();
  const staff = useStaff();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries();
  const open = useMutation(
    calls.exams.open.mutationOptions({
      onSuccess: async () => {
        await refresh();
        tell(t('exams.opened'));
      },
      onError: tellError,
    }),
  );
  const remove = useMutation(
    calls.exams.delete.mutationOptions({
      onSuccess: async () => {
        await navigate({ to: '/exams' });
        await refresh();
        tell(t('exams.deleted'));
      },
      onError: tellError,
    }),
  );
  const isAdmin = staff.role === 'admin';
  const takesCopies = exam.status !== 'draft';
  return (
    <Group gap="xs">
      {exam.submissions.total > 0 ? (
        <PageLink pattern="/exams/$id/mark" examId={exam.id} look="button">
          {t('exams.mark')}
        </PageLink>
      ) : null}
      {takesCopies ? (
        <>
          <PageLink pattern="/exams/$id/guide" examId={exam.id} look="button">
            {t('exams.guide')}
          </PageLink>
          <PageLink pattern="/exams/$id/statistics" examId={exam.id} look="button">
            {t('exams.statistics')}
          </PageLink>
          <PageLink pattern="/exams/$id/finalize" examId={exam.id} look="button">
            {t('exams.finalize')}
          </PageLink>
        </>
      ) : null}
      {isAdmin && exam.status !== 'finalized' ? (
        <>
          <Button component={Link} to={`/exams/${exam.id}/candidates`} variant="default">
            {t('exams.candidates')}
          </Button>
          <Button component={Link} to={`/exams/${exam.id}/edit`} variant="default">
            {t('exams.edit')}
          </Button>
        </>
      ) : null}
      {isAdmin && exam.status === 'draft' ? (
        <>
          <Button
            variant="default"
            loading={remove.isPending}
            onClick={() => remove.mutate({ exam_id: exam.id })}
          >
            {t('exams.delete')}
          </Button>
          <Button loading={open.isPending} onClick={() => open.mutate({ exam_id: exam.id, body: {} })}>
            {t('exams.open')}
          </Button>
        </>
      ) : null}
      {isAdmin && takesCopies ? (
        <Button
          component={Link}
          to={`/exams/${exam.id}/${exam.mode === 'handwritten' ? 'upload' : 'answers'}`}
        >
          {t(exam.mode === 'handwritten' ? 'exams.upload' : 'exams.addAnswers')}
        </Button>
      ) : null}
    </Group>
  );
};
