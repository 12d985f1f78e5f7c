/**
 * The batches that calls of this process wait for. Polls them until they end, then reads them line by line.
 *
 *   joined ──polled at growing intervals──▶ over ──read──▶ each call has its outcome; calls without a result are made
 *     directly
 *   refused because the account has too many waiting requests ──after a pause──▶ its calls are sent again
 *   last call stops waiting ──▶ no longer polled; cancelled if each of its lines was late or not wanted
 *
 * Other batches are not cancelled, because another worker may have the run of a line.
 *
 * State: for each batch its calls, and the ids that were late or not wanted. It ends with the process; the batches
 * continue.
 */
import { jittered } from '@evaluation/platform/backoff';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics } from '@evaluation/platform/telemetry';
import type { BatchedCall } from './batchedCall.ts';
import type { BatchProvider, BatchState } from './batchProvider.ts';
import { passes, statusOf } from './failures.ts';

interface AwaitedBatches {
  join(state: BatchState, calls: readonly BatchedCall[], how: 'sent' | 'found'): void;
  leave(call: BatchedCall): void;
}

interface AwaitedBatch {
  state: BatchState;
  calls: Set<BatchedCall>;
  /** Ids of lines that no process waits for. */
  useless: Set<string>;
  unawaited: AbortController;
}

const READS = 5;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
const LOOKS_APART = 10;
/**
 * Number of poll intervals before the lines of a batch are sent again after the account had too many waiting requests.
 */
const LOOKS_BEFORE_SENT_AGAIN = 4;

export const createAwaitedBatches = (
  provider: BatchProvider,
  options: {
    lane: string;
    /** Time before the first poll; later intervals grow up to ten times that. */
    pollMs: number;
    /** Stops all polling; batches continue. */
    closed: AbortSignal;
    sendAgain(calls: readonly BatchedCall[]): void;
    askDirectly(calls: Iterable<BatchedCall>, reason: 'no_result'): void;
    onFailure(error: unknown): void;
  },
): AwaitedBatches => {
  const { lane, pollMs, closed, onFailure } = options;
  const awaited = new Map<string, AwaitedBatch>();
  const count = (outcome: string) => metrics.modelBatches.inc({ lane, outcome });

  async function watch(batch: AwaitedBatch): Promise<void> {
    const signal = AbortSignal.any([closed, batch.unawaited.signal]);
    try {
      await untilOver(batch, signal);
      // A call that joins from now on causes a new read of the batch.
      forget(batch);
      if (batch.state.isTooMuch) {
        count('refused');
        await pause(LOOKS_BEFORE_SENT_AGAIN * pollMs, closed);
        options.sendAgain([...batch.calls]);
        return;
      }
      await deliverOutcomes(batch);
      count(batch.state.isRefused ? 'refused' : 'over');
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
      forget(batch);
    }
    options.askDirectly(batch.calls, 'no_result');
  }

  async function untilOver(batch: AwaitedBatch, signal: AbortSignal): Promise<void> {
    for (let pauseMs = pollMs; !batch.state.isOver; pauseMs = Math.min(pauseMs * 1.5, LOOKS_APART * pollMs)) {
      await pause(pauseMs, signal);
      try {
        // Keep the ids of the sent batch, because some endpoints return no metadata.
        batch.state = { ...(await provider.look(batch.state.id, signal)), ids: batch.state.ids };
      } catch (error) {
        signal.throwIfAborted();
        if (statusOf(error) === 404) throw error;
        // The batch continues and is paid for, so it is polled until time is up.
        onFailure(error);
      }
    }
  }

  async function deliverOutcomes({ state, calls }: AwaitedBatch): Promise<void> {
    for (let reads = 1; ; reads += 1) {
      const byId = Map.groupBy(calls, ({ id }) => id);
      try {
        await provider.read(
          state,
          (id, outcome) => {
            if (outcome !== null) for (const call of byId.get(id) ?? []) call.end(outcome);
          },
          closed,
        );
        return;
      } catch (error) {
        if (closed.aborted || reads === READS || !passes(error)) throw error;
        onFailure(error);
      }
      await pause(Math.min(FIRST_PAUSE_MS * 4 ** (reads - 1), LONGEST_PAUSE_MS), closed);
    }
  }

  function forget(batch: AwaitedBatch): void {
    if (awaited.get(batch.state.id) === batch) awaited.delete(batch.state.id);
  }

  function cancelIfUseless({ state, useless }: AwaitedBatch): void {
    if (!state.ids.every((id) => useless.has(id))) return;
    count('cancelled');
    provider.cancel(state.id, closed).catch(onFailure);
  }

  return {
    join(state, calls, how) {
      const known = awaited.get(state.id);
      const batch = known ?? {
        state,
        calls: new Set(),
        useless: new Set(),
        unawaited: new AbortController(),
      };
      for (const call of calls) {
        if (!call.isOver) {
          batch.calls.add(call);
          call.sent(state.id);
        } else if (call.isUseless) {
          batch.useless.add(call.id);
        }
      }
      if (known !== undefined) return;
      count(how);
      if (batch.calls.size === 0) {
        cancelIfUseless(batch);
        return;
      }
      awaited.set(state.id, batch);
      void watch(batch);
    },
    leave(call) {
      const batch = call.batchId === null ? undefined : awaited.get(call.batchId);
      if (batch === undefined || !batch.calls.delete(call)) return;
      if (call.isUseless) batch.useless.add(call.id);
      if (batch.calls.size > 0) return;
      forget(batch);
      batch.unawaited.abort();
      cancelIfUseless(batch);
    },
  };
};

/** Jittered, so that workers that began together do not poll together. */
const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await sleep(jittered(ms), undefined, { signal });
};
