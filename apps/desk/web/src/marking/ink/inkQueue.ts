import type { QueueStore } from '../queue/markQueue.ts';
import { nextBatch, withoutBatch, type InkChange, type InkState } from './inkState.ts';

/*
 * Sends strokes and keeps them in a store until core has answered, as the queue of marks does. State: the store. If
 * the page ends between core's answer and the removal, the changes are sent again, which changes nothing. Of several
 * tabs of one browser, one sends at a time.
 */

export type InkOutcome =
  | { kind: 'stored' }
  /** Core will never take the changes, such as on a final copy. */
  | { kind: 'refused'; text: string }
  | { kind: 'unreachable' }
  | { kind: 'signed-out' };

interface InkQueueOptions {
  store: QueueStore<InkState>;
  /** Sends changes of one copy. */
  send: (batch: InkState) => Promise<InkOutcome>;
  onRefused: (text: string) => void;
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

interface InkSnapshot {
  changes: InkState;
  connection: 'idle' | 'sending' | 'unreachable' | 'signed-out';
}

export interface InkQueue {
  /** Resolves when the change is kept in the store. */
  add(change: InkChange): Promise<void>;
  snapshot(): InkSnapshot;
  subscribe(listener: () => void): () => void;
  hurry(): void;
  close(): Promise<void>;
}

/** Bound of core. */
const MOST_AT_ONCE = 50;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

export const startInkQueue = ({ store, send, onRefused, pause }: InkQueueOptions): InkQueue => {
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let current: InkSnapshot = { changes: [], connection: 'idle' };
  let waking = new AbortController();

  const show = (change: Partial<InkSnapshot>): void => {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  };
  const update = async (change: (state: InkState) => InkState): Promise<void> => {
    show({ changes: await store.update(change) });
  };
  const wake = (): void => {
    waking.abort();
    waking = new AbortController();
  };
  const stopListening = store.onForeignChange(() => {
    void update((state) => state).then(wake);
  });

  const run = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    let most = MOST_AT_ONCE;
    while (!closing.signal.aborted) {
      const awake = AbortSignal.any([closing.signal, waking.signal]);
      await update((state) => state);
      const batch = nextBatch(current.changes, most);
      if (batch.length === 0) {
        show({ connection: 'idle' });
        most = MOST_AT_ONCE;
        await pause(LONGEST_PAUSE_MS, awake);
        continue;
      }
      show({ connection: current.connection === 'idle' ? 'sending' : current.connection });
      const outcome = await send(batch);
      if (outcome.kind === 'unreachable' || outcome.kind === 'signed-out') {
        show({ connection: outcome.kind });
        await pause(pauseMs, awake);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        continue;
      }
      pauseMs = FIRST_PAUSE_MS;
      show({ connection: 'sending' });
      if (outcome.kind === 'refused' && batch.length > 1) {
        // One stroke that is refused must not take the others with it.
        most = 1;
        continue;
      }
      if (outcome.kind === 'refused') onRefused(outcome.text);
      await update((state) => withoutBatch(state, batch));
    }
  };

  const first = update((state) => state);
  const running = store.alone(closing.signal, run).catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });

  return {
    add: async (change) => {
      // Shown at once: drawing does not wait for the store.
      show({ changes: [...current.changes, change] });
      await first;
      await update((state) => [...state, change]);
      wake();
    },
    snapshot: () => current,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hurry: wake,
    close: async () => {
      closing.abort();
      stopListening();
      await running;
    },
  };
};
