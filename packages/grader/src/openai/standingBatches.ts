/**
 * The batches that calls of this process wait for: looked at until they are over, then read line by line.
 *
 *   joined ──looked at, ever less often──▶ over ──read──▶ each call has its outcome; what the batch does not tell is asked directly
 *   refused, since the account has too much waiting ──after a while──▶ its calls are sent again
 *   the last call stops waiting ──▶ no longer looked at, and cancelled if each of its lines was late or not wanted here
 *
 * A batch is cancelled for nothing else: another worker may have the run of any other line.
 *
 * State: for each batch its calls and the ids that were late or not wanted. It dies with the process; the batches stand on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics } from '@evaluation/telemetry';
import type { BatchedCall } from './batchedCall.ts';
import type { BatchProvider, BatchState } from './batchProvider.ts';
import { passes, statusOf } from './failures.ts';

export interface StandingBatches {
  /** The calls wait for the batch from now on. */
  join(state: BatchState, calls: readonly BatchedCall[], how: 'sent' | 'found'): void;
  /** The call waits no longer. */
  leave(call: BatchedCall): void;
}

interface Standing {
  state: BatchState;
  calls: Set<BatchedCall>;
  /** Ids of lines that no process waits for. */
  useless: Set<string>;
  nobodyWaits: AbortController;
}

const READS = 5;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
const LOOKS_APART = 10;
/** Of first looks: before the lines of a batch are sent again for which its account had too much waiting. */
const LOOKS_BEFORE_SENT_AGAIN = 4;

export function createStandingBatches(
  provider: BatchProvider,
  options: {
    lane: string;
    /** Until the first look; later ones are up to ten times as far apart. */
    pollMs: number;
    /** Ends everything; batches stand on. */
    closed: AbortSignal;
    sendAgain(calls: readonly BatchedCall[]): void;
    askDirectly(calls: Iterable<BatchedCall>, reason: 'no_result'): void;
    onFailure(error: unknown): void;
  },
): StandingBatches {
  const { lane, pollMs, closed, onFailure } = options;
  const standing = new Map<string, Standing>();
  const count = (outcome: string) => metrics.modelBatches.inc({ lane, outcome });

  async function watch(batch: Standing): Promise<void> {
    const signal = AbortSignal.any([closed, batch.nobodyWaits.signal]);
    try {
      await untilOver(batch, signal);
      // A call that joins from now on has the batch read anew.
      forget(batch);
      if (batch.state.isTooMuch) {
        count('refused');
        await pause(LOOKS_BEFORE_SENT_AGAIN * pollMs, closed);
        options.sendAgain([...batch.calls]);
        return;
      }
      await handOut(batch);
      count(batch.state.isRefused ? 'refused' : 'over');
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
      forget(batch);
    }
    options.askDirectly(batch.calls, 'no_result');
  }

  async function untilOver(batch: Standing, signal: AbortSignal): Promise<void> {
    for (let pauseMs = pollMs; !batch.state.isOver; pauseMs = Math.min(pauseMs * 1.5, LOOKS_APART * pollMs)) {
      await pause(pauseMs, signal);
      try {
        // Its ids are those that it was sent with: not every endpoint tells its metadata again.
        batch.state = { ...(await provider.look(batch.state.id, signal)), ids: batch.state.ids };
      } catch (error) {
        signal.throwIfAborted();
        if (statusOf(error) === 404) throw error;
        // The batch goes on and is paid for, so it is looked at as long as there is time.
        onFailure(error);
      }
    }
  }

  async function handOut({ state, calls }: Standing): Promise<void> {
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

  function forget(batch: Standing): void {
    if (standing.get(batch.state.id) === batch) standing.delete(batch.state.id);
  }

  function cancelIfUseless({ state, useless }: Standing): void {
    if (!state.ids.every((id) => useless.has(id))) return;
    count('cancelled');
    provider.cancel(state.id, closed).catch(onFailure);
  }

  return {
    join(state, calls, how) {
      const known = standing.get(state.id);
      const batch = known ?? {
        state,
        calls: new Set(),
        useless: new Set(),
        nobodyWaits: new AbortController(),
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
      standing.set(state.id, batch);
      void watch(batch);
    },
    leave(call) {
      const batch = call.batchId === null ? undefined : standing.get(call.batchId);
      if (batch === undefined || !batch.calls.delete(call)) return;
      if (call.isUseless) batch.useless.add(call.id);
      if (batch.calls.size > 0) return;
      forget(batch);
      batch.nobodyWaits.abort();
      cancelIfUseless(batch);
    },
  };
}

/** Jittered: workers that began together do not go on together. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms / 2 + (ms / 2) * Math.random(), undefined, { signal });
}
