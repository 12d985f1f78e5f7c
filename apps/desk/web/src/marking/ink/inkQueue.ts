import { startSender, type ForLater, type QueueStore, type Sender } from '../queue/sender.ts';
import { nextBatch, withoutBatch, type InkChange, type InkState } from './inkState.ts';

/** Sends strokes, those of one copy together. Changes that are sent again change nothing. */

type Answer =
  | { kind: 'stored' }
  /** Core will never take the changes, such as on a final copy. */
  | { kind: 'refused'; text: string };
export type InkOutcome = Answer | ForLater;

interface InkQueueOptions {
  store: QueueStore<InkChange>;
  /** Sends changes of one copy. */
  send: (batch: InkState) => Promise<InkOutcome>;
  onRefused: (text: string) => void;
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface InkQueue extends Pick<Sender<InkChange>, 'snapshot' | 'subscribe' | 'hurry' | 'close'> {
  /** Resolves when the change is kept in the store. */
  add(change: InkChange): Promise<void>;
}

/** Bound of core. */
const MOST_AT_ONCE = 50;

export const startInkQueue = ({ store, send, onRefused, pause }: InkQueueOptions): InkQueue => {
  let most = MOST_AT_ONCE;
  const sender = startSender<InkChange, InkState, Answer>({
    store,
    next: (state) => {
      const batch = nextBatch(state, most);
      if (batch.length > 0) return batch;
      most = MOST_AT_ONCE;
      return null;
    },
    send: async (batch) => {
      const outcome = await send(batch);
      if (outcome.kind === 'refused' && batch.length === 1) onRefused(outcome.text);
      // One stroke that is refused must not take the others with it: they are sent one by one.
      if (outcome.kind === 'refused' && batch.length > 1) most = 1;
      return outcome;
    },
    answered: (state, batch, { kind }) =>
      kind === 'refused' && batch.length > 1 ? state : withoutBatch(state, batch),
    pause,
  });
  return {
    ...sender,
    // Drawing does not wait for the store.
    add: (change) => sender.changeAtOnce((state) => [...state, change]),
  };
};
