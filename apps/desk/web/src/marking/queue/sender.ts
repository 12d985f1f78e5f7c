/*
 * Sends what a person has done, marks or strokes, and keeps it in a store until core has answered. State: the store,
 * which survives a reload and a crash. If the page ends between core's answer and the removal, the same call is sent
 * again and changes nothing more. Of several tabs of one browser, one sends at a time.
 */

export interface QueueStore<Item> {
  /** Applies `change` to the stored items in one step and returns the new items. */
  update(change: (items: readonly Item[]) => readonly Item[]): Promise<readonly Item[]>;
  /** Runs `work` while no other page of this browser runs its own; aborted by `signal`. */
  alone(signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  /** Calls back after another page of this browser has changed the items. */
  onForeignChange(listener: () => void): () => void;
}

/** No answer, or an answer after which the same call is to be sent again. */
export type ForLater = { kind: 'unreachable' } | { kind: 'signed-out' };

interface SenderOptions<Item, Call, Answer extends { kind: string }> {
  store: QueueStore<Item>;
  /** What the next call sends; null if nothing can be sent. */
  next: (items: readonly Item[]) => Call | null;
  send: (call: Call) => Promise<Answer | ForLater>;
  /** The items after core has answered the call. */
  answered: (items: readonly Item[], call: Call, answer: Answer) => readonly Item[];
  /** Waits before a repetition; returns early when `signal` is aborted. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface SenderSnapshot<Item> {
  items: readonly Item[];
  connection: 'sending' | 'idle' | 'unreachable' | 'signed-out';
}

export interface Sender<Item> {
  /** Resolves when the change is kept in the store. */
  change(by: (items: readonly Item[]) => readonly Item[]): Promise<void>;
  /** Like `change`, and shows the new items before they are kept. */
  changeAtOnce(by: (items: readonly Item[]) => readonly Item[]): Promise<void>;
  snapshot(): SenderSnapshot<Item>;
  subscribe(listener: () => void): () => void;
  /** Sends at once instead of after the pause, such as when the network is back. */
  hurry(): void;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

const isForLater = (outcome: { kind: string }): outcome is ForLater =>
  outcome.kind === 'unreachable' || outcome.kind === 'signed-out';

export const startSender = <Item, Call, Answer extends { kind: string }>({
  store,
  next,
  send,
  answered,
  pause,
}: SenderOptions<Item, Call, Answer>): Sender<Item> => {
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let current: SenderSnapshot<Item> = { items: [], connection: 'idle' };
  let waking = new AbortController();

  const show = (change: Partial<SenderSnapshot<Item>>): void => {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  };
  const update = async (change: (items: readonly Item[]) => readonly Item[]): Promise<void> => {
    show({ items: await store.update(change) });
  };
  const wake = (): void => {
    waking.abort();
    waking = new AbortController();
  };
  const stopListening = store.onForeignChange(() => {
    void update((items) => items).then(wake);
  });

  const run = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      const awake = AbortSignal.any([closing.signal, waking.signal]);
      await update((items) => items);
      const call = next(current.items);
      if (call === null) {
        show({ connection: 'idle' });
        await pause(LONGEST_PAUSE_MS, awake);
        continue;
      }
      show({ connection: current.connection === 'idle' ? 'sending' : current.connection });
      const outcome = await send(call);
      if (isForLater(outcome)) {
        show({ connection: outcome.kind });
        await pause(pauseMs, awake);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        continue;
      }
      pauseMs = FIRST_PAUSE_MS;
      show({ connection: 'sending' });
      await update((items) => answered(items, call, outcome));
    }
  };

  const first = update((items) => items);
  const running = store.alone(closing.signal, run).catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });
  const change: Sender<Item>['change'] = async (by) => {
    await first;
    await update(by);
    wake();
  };

  return {
    change,
    changeAtOnce: async (by) => {
      show({ items: by(current.items) });
      await change(by);
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
