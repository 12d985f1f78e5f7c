import { Alert, Button, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls, queryClient } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { showTime } from '../app/times.ts';
import type { Decision } from './queue/queueState.ts';
import { useMarking } from './seenMarks.ts';

/** A decision that core has refused: what changed meanwhile, and the choice of the examiner. */
export const ChangedMark = ({ decision }: { decision: Decision }) => {
  const t = useText();
  const { queue, seen } = useMarking();
  const { submission_id, question_id, change, held } = decision;
  const isChanged = held?.reason === 'changed';
  const { data } = useQuery(
    calls.desk.marking.changes.queryOptions(
      { submission_id, question_id },
      { enabled: isChanged, staleTime: 0, refetchOnMount: 'always' },
    ),
  );
  const mine = change.kind === 'mark' ? String(change.awarded) : t('marking.withdrawn');
  const showAgain = () =>
    queryClient.refetchQueries(calls.desk.marking.screen.queryFilter({ submission_id }));
  const discard = async (): Promise<void> => {
    await showAgain();
    if (data !== undefined) seen.see(decision, data.mark);
    await queue.discard(decision.id);
  };
  const insist = async (): Promise<void> => {
    if (data === undefined) return;
    seen.see(decision, data.mark);
    await queue.insist(decision.id, data.mark);
  };
  return (
    <Alert
      color="orange"
      variant="default"
      role="alert"
      mb="sm"
      title={t('marking.notSaved', { marks: mine })}
    >
      {held?.reason === 'refused' ? <Text>{held.text}</Text> : null}
      {isChanged && data !== undefined ? (
        <>
          <Text>{t('marking.countsNow', { marks: data.mark.awarded ?? '–' })}</Text>
          <List size="sm">
            {data.changes.slice(0, 3).map(({ at, by, before, after }) => (
              <List.Item key={at}>
                {t('marking.change', {
                  who: by.is_me ? t('marking.you') : (by.name ?? t('marking.someone')),
                  before: before ?? '–',
                  after: after ?? '–',
                  at: showTime(at),
                })}
              </List.Item>
            ))}
          </List>
        </>
      ) : null}
      <Group mt="xs">
        {isChanged ? (
          <Button size="compact-sm" disabled={data === undefined} onClick={() => void insist()}>
            {t('marking.useMine')}
          </Button>
        ) : null}
        <Button size="compact-sm" variant="default" onClick={() => void discard()}>
          {t('marking.discardMine')}
        </Button>
      </Group>
    </Alert>
  );
};
