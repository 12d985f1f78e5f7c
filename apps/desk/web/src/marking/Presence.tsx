import { Badge } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { calls, client } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import type { Screen } from './types.ts';

const EVERY_MS = 10_000;

/** Tells core that the copy is open here, shows who else has it open, and reads the copy again after a change. */
export const Presence = ({ screen: { submission_id, marks_revision } }: { screen: Screen }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: ['marking', 'keepOpen', submission_id],
    queryFn: () => client.desk.marking.keepOpen.mutate({ submission_id }),
    refetchInterval: EVERY_MS,
    staleTime: 0,
    retry: false,
  });
  const newest = data?.marks_revision ?? marks_revision;
  useEffect(() => {
    if (newest <= marks_revision) return;
    void queryClient.invalidateQueries(calls.desk.marking.screen.queryFilter({ submission_id }));
  }, [newest, marks_revision, queryClient, submission_id]);
  const others = data?.others ?? [];
  return (
    <div role="status">
      {others.length === 0 ? null : (
        <Badge variant="default" size="lg" tt="none">
          {t('marking.alsoHere', {
            names: others.map(({ name }) => name ?? t('marking.someone')).join(', '),
          })}
        </Badge>
      )}
    </div>
  );
};
