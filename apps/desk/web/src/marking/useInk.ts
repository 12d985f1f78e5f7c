import type { Ink } from '@evaluation/rules/marked-page';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { calls, client, withKey } from '../app/calls.ts';
import { failureIn, statusOf, textOfError } from '../app/failures.ts';
import { newKey } from '../app/newKey.ts';
import { notifyError, notifyProblem } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { startInkQueue, type InkOutcome, type InkQueue } from './ink/inkQueue.ts';
import { withChanges, type InkChange, type InkState } from './ink/inkState.ts';
import { laterCall } from './queue/laterCall.ts';
import { browserStore, INK } from './queue/browserStore.ts';
import type { Screen } from './types.ts';
import { pause } from './useMarkQueue.ts';

interface InkDesk {
  queue: InkQueue;
  /** What can be taken back, the latest stroke last. */
  done: InkChange[];
}

export const InkContext = createContext<InkDesk | null>(null);

/** Starts the queue of strokes of the signed-in person while the component is shown. */
export const useStartedInk = (): InkDesk | null => {
  const { id } = useStaff();
  const queryClient = useQueryClient();
  const [desk, setDesk] = useState<InkDesk | null>(null);
  useEffect(() => {
    const queue = startInkQueue({
      store: browserStore<InkChange>(id, INK),
      pause,
      onRefused: notifyProblem,
      send: async (batch) => {
        const outcome = await send(batch, id);
        const [submission_id] = batch.map((change) => change.submission_id);
        if (outcome.kind === 'stored' && submission_id !== undefined) {
          // Before the strokes leave the queue, so that they do not vanish for a moment.
          const { queryKey } = calls.desk.marking.screen.queryOptions({ submission_id });
          await queryClient.refetchQueries({ queryKey });
        }
        return outcome;
      },
    });
    setDesk({ queue, done: [] });
    const hurry = (): void => queue.hurry();
    addEventListener('online', hurry);
    return () => {
      removeEventListener('online', hurry);
      setDesk(null);
      void queue.close();
    };
  }, [id, queryClient]);
  return desk;
};

const send = async (batch: InkState, staffId: string): Promise<InkOutcome> => {
  const [first] = batch;
  if (first === undefined) return { kind: 'stored' };
  try {
    await client.desk.marking.ink.mutate(
      {
        submission_id: first.submission_id,
        add: batch.flatMap((change) => (change.kind === 'add' ? [{ id: change.id, ink: change.ink }] : [])),
        remove: batch.flatMap((change) => (change.kind === 'remove' ? [change.id] : [])),
      },
      { context: withKey(newKey(), staffId) },
    );
    return { kind: 'stored' };
  } catch (error) {
    const later = laterCall(error, { failureIn, statusOf, textOf: textOfError });
    return later ?? { kind: 'refused', text: textOfError(error) };
  }
};

/** A random UUID. `crypto.randomUUID` is missing on pages of plain HTTP other than localhost. */
const newId = (): string => newKey().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');

/** The strokes of a copy with those that are not stored yet, and the commands on them. */
export const useInk = ({ submission_id, copy }: Screen) => {
  const desk = useContext(InkContext);
  if (desk === null) throw new Error('this component is below the marking page only');
  const { queue, done } = desk;
  const { items: changes, connection } = useSyncExternalStore(queue.subscribe, queue.snapshot);
  const strokes = withChanges(copy?.ink ?? [], changes, submission_id);
  const change = (made: InkChange, inverse: InkChange): void => {
    done.push(inverse);
    queue.add(made).catch(notifyError);
  };
  const add = (ink: Ink): void => {
    const stroke = { submission_id, id: newId() };
    change({ ...stroke, kind: 'add', ink }, { ...stroke, kind: 'remove' });
  };
  return {
    strokes,
    waiting: changes.length,
    connection,
    add,
    remove: (id: string): void => {
      const removed = strokes.find((stroke) => stroke.id === id);
      if (removed === undefined) return;
      change(
        { submission_id, id, kind: 'remove' },
        { submission_id, id: newId(), kind: 'add', ink: removed.ink },
      );
    },
    canTakeBack: done.some((each) => each.submission_id === submission_id),
    /** Reverses the latest change of this page to this copy. */
    takeBack: (): void => {
      const index = done.findLastIndex((each) => each.submission_id === submission_id);
      const [inverse] = index === -1 ? [] : done.splice(index, 1);
      if (inverse !== undefined) queue.add(inverse).catch(notifyError);
    },
  };
};

export type InkOfCopy = ReturnType<typeof useInk>;
