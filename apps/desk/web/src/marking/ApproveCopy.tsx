import { Badge, Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { calls, client, withKey } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { useStaff } from '../app/session.ts';
import { newKey } from '../app/newKey.ts';
import { useMarking } from './seenMarks.ts';
import type { Screen } from './types.ts';
import { useQueueSnapshot } from './useMarkQueue.ts';

/**
 * Approves all marks of the copy as they are shown, and withdraws the approval. Disabled while decisions on the copy
 * are not stored yet.
 */
export const ApproveCopy = ({ screen }: { screen: Screen }) => {
  const t = useText();
  const staff = useStaff();
  const queryClient = useQueryClient();
  const { queue } = useMarking();
  const { submission_id } = screen;
  const isWaiting = useQueueSnapshot(queue).items.some((each) => each.submission_id === submission_id);
  const approve = useMutation({
    mutationFn: (key: string) =>
      client.submissions.approve.mutate(
        { submission_id, body: { reviewer: staff.id }, seen_marks_revision: screen.marks_revision },
        { context: withKey(key, staff.id) },
      ),
    onSettled: () => queryClient.invalidateQueries(calls.desk.marking.screen.queryFilter({ submission_id })),
  });
  const unapprove = useMutation({
    mutationFn: () =>
      client.desk.marking.unapprove.mutate({ submission_id, seen_marks_revision: screen.marks_revision }),
    onSettled: () => queryClient.invalidateQueries(calls.desk.marking.screen.queryFilter({ submission_id })),
  });
  if (screen.approved) {
    return (
      <Group gap="xs">
        <Badge variant="default">{t('marking.approved')}</Badge>
        {screen.finalized ? null : (
          <Button
            size="compact-sm"
            variant="default"
            loading={unapprove.isPending}
            disabled={isWaiting}
            onClick={() => unapprove.mutate()}
          >
            {t('marking.unapprove')}
          </Button>
        )}
      </Group>
    );
  }
  if (screen.finalized) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={approve.isPending}
      disabled={isWaiting}
      onClick={() => approve.mutate(newKey())}
    >
      {t('marking.approve')}
    </Button>
  );
};
