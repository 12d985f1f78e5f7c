import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { calls } from '../../app/calls.ts';
import { ConfirmModal } from '../../app/ConfirmModal.tsx';
import { useText } from '../../app/language.ts';
import { notify } from '../../app/notices.ts';
import { useStaff } from '../../app/session.ts';
import type { ExamOverview } from '../types.ts';
import { isAtWork } from './progress.ts';

type Step = 'upload' | 'mark' | 'finalize' | 'return';

/** What comes next for the exam; its button stands out. */
const stepOf = ({ submissions }: ExamOverview): Step => {
  if (submissions.total === 0) return 'upload';
  if (submissions.needs_review > 0 || isAtWork({ submissions })) return 'mark';
  return submissions.finalized < submissions.total ? 'finalize' : 'return';
};

/** The buttons are in the order of the work. */
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
        notify(t('exams.opened'));
      },
    }),
  );
  const remove = useMutation(
    calls.exams.delete.mutationOptions({
      onSuccess: async () => {
        await navigate({ to: '/exams' });
        await refresh();
        notify(t('exams.deleted'));
      },
    }),
  );
  const [isDeleting, setDeleting] = useState(false);
  const isAdmin = staff.role === 'admin';
  const takesCopies = exam.status !== 'draft';
  const step = stepOf(exam);
  const variantOf = (button: Step): 'filled' | 'default' => (button === step ? 'filled' : 'default');
  return (
    <Group gap="xs">
      {isAdmin && exam.status !== 'finalized' ? (
        <>
          <Button component={Link} to={`/exams/${exam.id}/edit`} variant="default">
            {t('exams.edit')}
          </Button>
          <Button component={Link} to={`/exams/${exam.id}/candidates`} variant="default">
            {t('exams.candidates')}
          </Button>
        </>
      ) : null}
      {isAdmin && takesCopies ? (
        <Button
          component={Link}
          to={`/exams/${exam.id}/${exam.mode === 'handwritten' ? 'upload' : 'answers'}`}
          variant={variantOf('upload')}
        >
          {t(exam.mode === 'handwritten' ? 'exams.upload' : 'exams.addAnswers')}
        </Button>
      ) : null}
      {exam.submissions.total > 0 ? (
        <Button component={Link} to={`/exams/${exam.id}/mark`} variant={variantOf('mark')}>
          {exam.submissions.needs_review > 0
            ? t('exams.markLeft', { count: exam.submissions.needs_review })
            : t('exams.mark')}
        </Button>
      ) : null}
      {takesCopies ? (
        <>
          <Button component={Link} to={`/exams/${exam.id}/guide`} variant="default">
            {t('exams.guide')}
          </Button>
          <Button component={Link} to={`/exams/${exam.id}/statistics`} variant="default">
            {t('exams.statistics')}
          </Button>
          <Button component={Link} to={`/exams/${exam.id}/finalize`} variant={variantOf('finalize')}>
            {t('exams.finalize')}
          </Button>
          <Button
            variant={variantOf('return')}
            disabled={exam.submissions.total === 0}
            onClick={() => void navigate({ to: `/exams/${exam.id}/return` })}
          >
            {t('exams.return')}
          </Button>
        </>
      ) : null}
      {isAdmin && exam.status === 'draft' ? (
        <>
          <Button variant="default" onClick={() => setDeleting(true)}>
            {t('exams.delete')}
          </Button>
          {isDeleting ? (
            <ConfirmModal
              title={t('exams.deleteTitle')}
              text={t('exams.deleteHelp')}
              action={t('exams.delete')}
              isBusy={remove.isPending}
              onConfirm={() => remove.mutate({ exam_id: exam.id })}
              onClose={() => setDeleting(false)}
            />
          ) : null}
          <Button loading={open.isPending} onClick={() => open.mutate({ exam_id: exam.id, body: {} })}>
            {t('exams.open')}
          </Button>
        </>
      ) : null}
    </Group>
  );
};
