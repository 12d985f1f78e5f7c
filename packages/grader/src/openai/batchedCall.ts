/**
 * One call that waits for a batch, until it has an outcome, its time is up, or its signal aborts. State: whether it
 * still waits, and its batch; changed by batches, by its timer and by its signal.
 */
import { NotWanted } from '../grader.ts';
import { lineOf, type LineOutcome } from './batchLines.ts';

/**
 * Why a call stopped waiting. `ended`: it has an outcome, or is made directly. `late`: its time is up. `not_wanted`:
 * its submission was cancelled. `lost`: this process no longer holds its run, and another process may.
 */
type End = 'ended' | 'late' | 'not_wanted' | 'lost';

export interface BatchedCall {
  readonly id: string;
  /** Start of the wait, by `performance.now()`. */
  readonly since: number;
  readonly isOver: boolean;
  readonly isLate: boolean;
  readonly isUseless: boolean;
  /** Id of the batch with the line; null before it is sent. */
  batchId: string | null;
  line(): string;
  sent(batchId: string): void;
  /** @param outcome null: the call is to be made directly */
  end(outcome: LineOutcome | null): void;
}

export const waitFor = (
  { id, body }: { id: string; body: object },
  options: {
    waitMs: number;
    signal: AbortSignal;
    /** Called when its line is first in a batch. */
    onSent(): void;
    onOver(call: BatchedCall): void;
  },
): { call: BatchedCall; outcome: Promise<LineOutcome | null> } => {
  const { signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<LineOutcome | null>();
  let ending: End | null = null;
  let wasSent = false;

  const call: BatchedCall = {
    id,
    since: performance.now(),
    get isOver() {
      return ending !== null;
    },
    get isLate() {
      return ending === 'late';
    },
    get isUseless() {
      return ending === 'late' || ending === 'not_wanted';
    },
    batchId: null,
    line: () => lineOf(id, body),
    sent(batchId) {
      call.batchId = batchId;
      if (wasSent) return;
      wasSent = true;
      options.onSent();
    },
    end: (outcome) => finish('ended', () => resolve(outcome)),
  };
  const timer = setTimeout(() => finish('late', () => resolve(null)), options.waitMs);
  const onAbort = () => {
    finish(signal.reason instanceof NotWanted ? 'not_wanted' : 'lost', () => reject(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });

  function finish(end: End, settle: () => void): void {
    if (ending !== null) return;
    ending = end;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    settle();
    options.onOver(call);
  }

  return { call, outcome: promise };
};
