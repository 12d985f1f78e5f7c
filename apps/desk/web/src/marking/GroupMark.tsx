import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { notify } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { useMarking } from './seenMarks.ts';

/** One mark for all candidates who gave the same answer. Core leaves out those whose mark a teacher has decided on. */
export const GroupMark = ({
  place,
  ids,
  allowedMark,
  comment,
}: {
  place: { exam_id: string; question_id: string };
  ids: readonly string[];
  /** The mark in the form; null if the question does not allow it. */
  allowedMark: () => number | null;
  comment: string;
}) => {
  const t = useText();
  const staff = useStaff();
  const queryClient = useQueryClient();
  const { groups } = useMarking();
  const markGroup = useMutation({
    ...calls.marking.markGroup.mutationOptions(),
    onSuccess: async ({ marked }) => {
      for (const id of ids) groups.delete(`${place.question_id} ${id}`);
      notify(t('marking.groupMarked', { count: marked.length }));
      await queryClient.invalidateQueries();
    },
  });
  if (ids.length < 2) return null;
  const mark = (): void => {
    const awarded = allowedMark();
    if (awarded === null) return;
    markGroup.mutate({
      exam_id: place.exam_id,
      question_id: place.question_id,
      sameness: 'text',
      submission_ids: [...ids],
      body: {
        reviewer: staff.id,
        awarded,
        reason: comment.trim() === '' ? null : comment.trim(),
      },
    });
  };
  return (
    <Button type="button" mt="xs" variant="light" loading={markGroup.isPending} onClick={mark}>
      {t('marking.markGroup', { count: ids.length })}
    </Button>
  );
};
