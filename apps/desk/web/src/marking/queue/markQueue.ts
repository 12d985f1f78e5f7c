import {
  added,
  discarded,
  held,
  insisted,
  nextToSend,
  stored,
  type Change,
  type Decision,
  type QueueState,
  type SeenMark,
} from './queueState.ts';

/*
 * Sends decisions one after the other and keeps them in a store until core has answered. State: the store, which
 * survives a reload and a crash. If the page ends between core's answer and the removal, the decision is sent again
 * with its key, and core gives the first answer again. Of several tabs of one browser, one sends at a time.
 */

export interface QueueStore<State = QueueState> {
  /** Applies `change` to the stored state in one step and returns the new state. */
  update(change: (state: State) => State): Promise<State>;
  /** Runs `work` while no other page of this browser runs its own; aborted by `signal`. */
  alone(signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  /** Calls back after another page of this browser has changed the state. */
  onForeignChange(listener: () => void): () => void;
}

export type Outcome =
  | { kind: 'stored'; seen: SeenMark }
  | { kind: 'changed' }
  | { kind: 'refused'; text: string }
  /** No answer, or an answer after which the call is to be repeated. */
  | { kind: 'unreachable' }
  | { kind: 'signed-out' };

interface QueueOptions {
  store: QueueStore;
  send: (decision: Decision & { seen: SeenMark }) => Promise<Outcome>;
  newId: () => string;
  /** Waits before a repetition; returns early when `signal` is aborted. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

type Connection = 'sending' | 'idle' | 'unreachable' | 'signed-out';

export interface QueueSnapshot {
  decisions: QueueState;
  connection: Connection;
}

export interface MarkQueue {
  /** Resolves when the decision is kept in the store. */
  add(place: { submission_id: string; question_id: string }, change: Change, seen: SeenMark): Promise<void>;
  discard(id: string): Promise<void>;
  insist(id: string, seen: SeenMark): Promise<void>;
  snapshot(): QueueSnapshot;
  subscribe(listener: () => void): () => void;
  /** Sends at once instead of after the pause, such as when the network is back. */
  hurry(): void;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

export const startMarkQueue = ({ store, send, newId, pause }: QueueOptions): MarkQueue => {
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let current: QueueSnapshot = { decisions: [], connection: 'idle' };
  let waking = new AbortController();

  const show = (change: Partial<QueueSnapshot>): void => {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  };
  const update = async (change: (state: QueueState) => QueueState): Promise<void> => {
    show({ decisions: await store.update(change) });
  };
  const wake = (): void => {
    waking.abort();
    waking = new AbortController();
  };
  const stopListening = store.onForeignChange(() => {
    void update((state) => state).then(wake);
  });

  const apply = async (id: string, outcome: Outcome): Promise<void> => {
    if (outcome.kind === 'stored') await update((state) => stored(state, id, outcome.seen));
    if (outcome.kind === 'changed') await update((state) => held(state, id, { reason: 'changed' }));
    if (outcome.kind === 'refused') {
      await update((state) => held(state, id, { reason: 'refused', text: outcome.text }));
    }
  };

  const run = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      const awake = AbortSignal.any([closing.signal, waking.signal]);
      await update((state) => state);
      const decision = nextToSend(current.decisions);
      if (decision === null) {
        show({ connection: 'idle' });
        await pause(LONGEST_PAUSE_MS, awake);
        continue;
      }
      show({ connection: current.connection === 'idle' ? 'sending' : current.connection });
      const outcome = await send(decision);
      if (outcome.kind === 'unreachable' || outcome.kind === 'signed-out') {
        show({ connection: outcome.kind });
        await pause(pauseMs, awake);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        continue;
      }
      pauseMs = FIRST_PAUSE_MS;
      show({ connection: 'sending' });
      await apply(decision.id, outcome);
    }
  };

  const first = update((state) => state);
  const running = store.alone(closing.signal, run).catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });

  return {
    add: async (place, change, seen) => {
      await first;
      await update((state) => added(state, { id: newId(), ...place, change, seen }));
      wake();
    },
    discard: async (id) => {
      await update((state) => discarded(state, id));
    },
    insist: async (id, seen) => {
      const again = { id: newId(), seen };
      await update((state) => insisted(state, id, again));
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
