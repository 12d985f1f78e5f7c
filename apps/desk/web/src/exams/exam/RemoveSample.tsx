import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmModal } from '../../app/ConfirmModal.tsx';
import { useText } from '../../app/language.ts';
import { notify, notifyError } from '../../app/notices.ts';
import { Notice } from '../Notice.tsx';

/** Says that the exam is the sample, what to try, and removes it. */
export const RemoveSample = ({ examId }: { examId: string }) => {
  const t = useText();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: async () => (await import('../list/sampleExam.ts')).removeSampleExam(examId),
    onSuccess: async () => {
      await navigate({ to: '/exams' });
      notify(t('exams.sample.removed'));
    },
    onError: notifyError,
  });
  return (
    <Notice kind="note" title={t('exams.sample.title')}>
      <Group justify="space-between">
        <Text size="sm">{t('exams.sample.next')}</Text>
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          {t('exams.sample.remove')}
        </Button>
      </Group>
      {isAsking ? (
        <ConfirmModal
          title={t('exams.sample.remove')}
          text={t('exams.sample.removeHelp')}
          action={t('exams.sample.removeNow')}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Notice>
  );
};
