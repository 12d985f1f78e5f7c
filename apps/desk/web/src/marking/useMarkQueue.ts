import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { calls, client, withKey } from '../app/calls.ts';
import { failureIn, statusOf, textOfError } from '../app/failures.ts';
import { useStaff } from '../app/session.ts';
import { newKey } from '../app/newKey.ts';
import { newDoneMarks } from './doneMarks.ts';
import { browserStore, MARKS } from './queue/browserStore.ts';
import type { Decision } from './queue/queueState.ts';
import { startMarkQueue, type MarkQueue } from './queue/markQueue.ts';
import type { SenderSnapshot } from './queue/sender.ts';
import { sendDecision } from './queue/sendDecision.ts';
import { newSeenMarks, type Marking } from './seenMarks.ts';

export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

/** Starts the queue of the signed-in person while the component is shown. */
export const useStartedMarking = (): Marking | null => {
  const { id } = useStaff();
  const queryClient = useQueryClient();
  const [marking, setMarking] = useState<Marking | null>(null);
  useEffect(() => {
    const seen = newSeenMarks();
    const done = newDoneMarks(id);
    const send = sendDecision(
      {
        override: (input, key) => client.submissions.override.mutate(input, { context: withKey(key, id) }),
        withdraw: (input, key) => client.desk.marking.withdraw.mutate(input, { context: withKey(key, id) }),
      },
      { failureIn, statusOf, textOf: textOfError },
    );
    const queue = startMarkQueue({
      store: browserStore<Decision>(id, MARKS),
      newId: newKey,
      pause,
      send: async (decision) => {
        const outcome = await send(decision);
        if (outcome.kind === 'stored') {
          seen.see(decision, outcome.seen);
          done.stored(decision, outcome.seen);
          // Before the decision leaves the queue, so that the page does not show the older mark for a moment.
          const { submission_id } = decision;
          const { queryKey } = calls.desk.marking.screen.queryOptions({ submission_id });
          await queryClient.refetchQueries({ queryKey });
        }
        return outcome;
      },
    });
    setMarking({
      queue,
      seen,
      visited: new Set(),
      seenByGroup: new Set(),
      trail: [],
      reviews: new Map(),
      done,
    });
    const hurry = (): void => queue.hurry();
    addEventListener('online', hurry);
    return () => {
      removeEventListener('online', hurry);
      setMarking(null);
      void queue.close();
    };
  }, [id, queryClient]);
  return marking;
};

export const useQueueSnapshot = (queue: MarkQueue): SenderSnapshot<Decision> =>
  useSyncExternalStore(queue.subscribe, queue.snapshot);
