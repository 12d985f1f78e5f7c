/**
 * One call on its way through batches: from the moment it waits until it has an outcome, its time is up, or its signal
 * aborts. State: whether it still waits, and for which batch; changed by the batches, by its timer and by its signal.
 */
import { NotWanted } from '../grader.ts';
import { lineOf, type LineOutcome } from './batchLines.ts';

/**
 * Why a call waits no longer: it has its outcome, or is made directly after all; its time was up; nobody wants it; or this
 * process does not have its run any more, and another one may.
 */
type End = 'ended' | 'late' | 'not_wanted' | 'lost';

export interface BatchedCall {
  /** Of its line in a batch. */
  readonly id: string;
  /** When it began to wait, by `performance.now()`. */
  readonly since: number;
  readonly isOver: boolean;
  /** Its time was up. */
  readonly isLate: boolean;
  /** No process waits for its line. */
  readonly isUseless: boolean;
  /** The batch that has its line; null while it has none. */
  batchId: string | null;
  line(): string;
  /** Its line is in a batch. */
  sent(batchId: string): void;
  /** @param outcome null: it is to be made directly */
  end(outcome: LineOutcome | null): void;
}

export function waitFor(
  { id, body }: { id: string; body: object },
  options: {
    waitMs: number;
    signal: AbortSignal;
    /** Its line is in a batch, for the first time. */
    onSent(): void;
    /** It waits no longer. */
    onOver(call: BatchedCall): void;
  },
): { call: BatchedCall; outcome: Promise<LineOutcome | null> } {
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
}
