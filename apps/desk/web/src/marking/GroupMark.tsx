import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { tell, tellError } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';

/** One mark for all candidates who gave the same answer. Core leaves out those whose mark a teacher has decided on. */
export const GroupMark = ({
  place,
  ids,
  marks,
  comment,
}: {
  place: { exam_id: string; question_id: string };
  ids: readonly string[];
  marks: string;
  comment: string;
}) => {
  const t = useText();
  const staff = useStaff();
  const queryClient = useQueryClient();
  const markGroup = useMutation({
    ...calls.marking.markGroup.mutationOptions(),
    onSuccess: async ({ marked }) => {
      tell(t('marking.groupMarked', { count: marked.length }));
      await queryClient.invalidateQueries();
    },
    onError: tellError,
  });
  if (ids.length < 2) return null;
  return (
    <Button
      type="button"
      mt="xs"
      variant="light"
      loading={markGroup.isPending}
      onClick={() =>
        markGroup.mutate({
          exam_id: place.exam_id,
          question_id: place.question_id,
          sameness: 'text',
          submission_ids: [...ids],
          body: {
            reviewer: staff.id,
            awarded: Number(marks),
            reason: comment.trim() === '' ? null : comment.trim(),
          },
        })
      }
    >
      {t('marking.markGroup', { count: ids.length })}
    </Button>
  );
};
