import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls, client } from '../../app/calls.ts';
import { ConfirmModal } from '../../app/ConfirmModal.tsx';
import { textOfError } from '../../app/failures.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyProblem } from '../../app/notices.ts';
import { Notice } from '../Notice.tsx';

/**
 * Copies that were graded before a rubric or model answer was changed, and *Grade again* with its bill. Shows nothing
 * if there are none. For admins.
 */
export const Outdated = ({ examId, onShow }: { examId: string; onShow: () => void }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const { data: bill } = useQuery(calls.regrade.preview.queryOptions({ exam_id: examId }));
  const [isAsked, setAsked] = useState(false);
  const regrade = useMutation({
    /** A call queues a part of the copies. A copy that was queued is not outdated any more. */
    mutationFn: async (rubric_version: number) => {
      let queued = 0;
      for (;;) {
        const part = await client.regrade.start.mutate({ exam_id: examId, rubric_version });
        queued += part.queued.length;
        if (part.stopped !== null || part.remaining === 0 || part.queued.length === 0) {
          return { queued, stopped: part.stopped };
        }
      }
    },
    onSuccess: ({ queued, stopped }) => {
      notify(t('exams.outdated.queued', { count: queued }));
      if (stopped !== null) notifyProblem(textOfError(stopped));
    },
    onSettled: async () => {
      setAsked(false);
      await queryClient.invalidateQueries();
    },
  });
  if (bill === undefined || bill.outdated === 0) return null;
  const { outdated, approved, credits, available, sufficient, questions } = bill;
  return (
    <Notice kind="note" title={t('exams.outdated', { count: outdated })}>
      <Text size="sm" mb="xs">
        {[
          t('exams.outdated.questions', { questions: questions.map(({ label }) => label).join(', ') }),
          ...(bill.skipped.teacher_marked > 0
            ? [t('exams.outdated.marked', { count: bill.skipped.teacher_marked })]
            : []),
          ...(bill.skipped.finalized > 0
            ? [t('exams.outdated.finalized', { count: bill.skipped.finalized })]
            : []),
        ].join(' ')}
      </Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={onShow}>
          {t('exams.outdated.show')}
        </Button>
        <Button size="compact-sm" onClick={() => setAsked(true)}>
          {t('exams.outdated.gradeAgain', { count: credits })}
        </Button>
      </Group>
      {isAsked ? (
        <ConfirmModal
          title={t('exams.gradeAgain')}
          text={[
            t('exams.outdated.bill', { count: outdated, credits, available }),
            ...(approved > 0 ? [t('exams.outdated.approved', { count: approved })] : []),
            ...(sufficient ? [] : [t('exams.outdated.insufficient')]),
          ].join(' ')}
          action={t('exams.gradeAgain')}
          isBusy={regrade.isPending}
          onConfirm={() => regrade.mutate(bill.rubric_version)}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </Notice>
  );
};
