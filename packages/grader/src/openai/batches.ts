/**
 * Sends calls of runs with enough time in batches: half the price, replies within hours. Replaces a single HTTP
 * request, below retries and judgement; see docs/decisions/036-calls-in-batches.md.
 *
 *   call ──▶ collected, until `collectMs` are over or `mostCalls` are collected
 *   collected ──an earlier process sent its line──▶ waits for that batch; else ──▶ waits for a new batch
 *   batch ends ──▶ the reply, or the error that a direct call would have had
 *   no batch can be sent, the batch has no result for the line, or time is up ──▶ null: make the call directly
 *   its run ends or is lost, or the worker stops ──▶ stops waiting
 *
 * State: the waiting calls, and the time until which batches are not tried. It ends with the process. The batches
 * continue at the endpoint, and their metadata lists their lines: the next process finds them before it sends a line
 * again.
 */
import { jittered } from '@evaluation/platform/backoff';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics } from '@evaluation/platform/telemetry';
import type OpenAI from 'openai';
import type { BatchOptions, GraderLog } from '../grader.ts';
import { waitFor, type BatchedCall } from './batchedCall.ts';
import { lineIdOf, MOST_LINES, type LineOutcome } from './batchLines.ts';
import { createBatchProvider } from './batchProvider.ts';
import type { FaultLog } from './faultLog.ts';
import { passes, statusOf } from './failures.ts';
import { createAwaitedBatches } from './awaitedBatches.ts';

export interface Batches {
  /**
   * @returns null if the call is to be made directly
   * @throws the signal's reason
   */
  ask(call: {
    /** Identifies request and run, equal in each process. */
    key: unknown;
    /** The run in this process. If one run makes the same request twice, each of the two gets a line of its own. */
    run: object;
    body: object;
    deadline: Date;
    signal: AbortSignal;
    onSent(): void;
  }): Promise<LineOutcome | null>;
  close(): void;
}

const RESERVE_MS = 30 * 60_000;
const SHORTEST_WAIT_MS = 30 * 60_000;
/** Most characters of collected lines, which bounds memory and the size of an upload. */
const MOST_CHARACTERS = 32_000_000;
const SENDS = 6;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
/** Time after which an endpoint without batches is tried again. */
const NOT_OFFERED_MS = 600_000;
/** Equal reasons are logged once in this time. */
const LOG_AGAIN_MS = 60_000;
const MEASURE_MS = 5000;
/** Statuses of endpoints without batches: not found, wrong method, not implemented, wrong form. */
const NOT_OFFERED = new Set([400, 404, 405, 415, 422, 501]);

type Reason = 'not_offered' | 'not_sent' | 'no_result' | 'late';

export const createBatches = (
  client: OpenAI,
  settings: BatchOptions,
  about: { lane: string; model: string; faultLog: FaultLog; log: GraderLog },
): Batches => {
  const { lane, log } = about;
  const mostCalls = Math.min(settings.mostCalls, MOST_LINES);
  const reserveMs = settings.reserveMs ?? RESERVE_MS;
  const shortestWaitMs = settings.shortestWaitMs ?? SHORTEST_WAIT_MS;
  const closed = new AbortController();
  const waiting = new Set<BatchedCall>();
  /** Number of equal requests, by run. */
  const asked = new WeakMap<object, Map<string, number>>();
  const loggedAt = new Map<Reason, number>();
  let collected: BatchedCall[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let notOfferedUntil = 0;
  const provider = createBatchProvider(client, settings.deployment);
  const onFailure = (error: unknown) => about.faultLog.callFailed(error, 'batch');
  const awaited = createAwaitedBatches(provider, {
    lane,
    pollMs: settings.pollMs,
    closed: closed.signal,
    sendAgain: (calls) => void send(calls.map(withoutBatch)),
    askDirectly,
    onFailure,
  });
  const measuring = setInterval(measure, MEASURE_MS);
  measuring.unref();

  function measure(): void {
    const [oldest] = waiting;
    const seconds = oldest === undefined ? 0 : (performance.now() - oldest.since) / 1000;
    metrics.modelBatchWaiting.set({ lane }, waiting.size);
    metrics.modelBatchOldest.set({ lane }, seconds);
  }

  function askDirectly(calls: Iterable<BatchedCall>, reason: Reason): void {
    const open = [...calls].filter(({ isOver }) => !isOver);
    tellDirect(reason, open.length);
    for (const call of open) call.end(null);
  }

  function tellDirect(reason: Reason, calls: number): void {
    if (calls === 0) return;
    metrics.modelBatchAskedDirectly.inc({ lane, reason }, calls);
    const now = performance.now();
    if (now - (loggedAt.get(reason) ?? -Infinity) < LOG_AGAIN_MS) return;
    loggedAt.set(reason, now);
    const fields = { lane, model: about.model, reason, calls };
    log.warn(fields, 'calls that were to go in a batch are made directly, at the full price');
  }

  function collect(call: BatchedCall): void {
    collected.push(call);
    characters += call.line().length;
    if (collected.length >= mostCalls || characters >= MOST_CHARACTERS) flush();
    else timer ??= setTimeout(flush, settings.collectMs);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const calls = collected;
    collected = [];
    characters = 0;
    void send(calls);
  }

  /** Sends calls in batches, or releases them to be made directly. */
  async function send(calls: readonly BatchedCall[]): Promise<void> {
    for (let sends = 1; ; sends += 1) {
      const open = calls.filter(({ isOver, batchId }) => !isOver && batchId === null);
      if (open.length === 0 || closed.signal.aborted) return;
      try {
        await joinBatches(open);
        return;
      } catch (error) {
        if (closed.signal.aborted) return;
        if (NOT_OFFERED.has(statusOf(error) ?? 0)) {
          notOfferedUntil = performance.now() + NOT_OFFERED_MS;
          return askDirectly(open, 'not_offered');
        }
        onFailure(error);
        if (!passes(error) || sends === SENDS) return askDirectly(open, 'not_sent');
      }
      const pauseMs = Math.min(FIRST_PAUSE_MS * 4 ** (sends - 1), LONGEST_PAUSE_MS);
      await sleep(jittered(pauseMs), undefined, { signal: closed.signal }).catch(() => {});
    }
  }

  async function joinBatches(calls: readonly BatchedCall[]): Promise<void> {
    const { signal } = closed;
    // Finds also a batch whose creation got no response.
    const found = await provider.find(new Set(calls.map(({ id }) => id)), signal);
    for (const [batch, ofBatch] of Map.groupBy(calls, ({ id }) => found.get(id))) {
      if (batch !== undefined) awaited.join(batch, ofBatch, 'found');
    }
    const rest = calls.filter(({ isOver, id }) => !isOver && !found.has(id));
    if (rest.length === 0) return;
    const lines = [...Map.groupBy(rest, ({ id }) => id)].flatMap(([id, [call]]) =>
      call === undefined ? [] : [{ id, text: call.line() }],
    );
    const isWanted = () => rest.some(({ isOver }) => !isOver);
    const batch = await provider.send(lines, isWanted, signal);
    if (batch !== null) awaited.join({ ...batch, ids: lines.map(({ id }) => id) }, rest, 'sent');
  }

  function timesAsked(run: object, key: string): number {
    const ofRun = asked.get(run) ?? new Map<string, number>();
    asked.set(run, ofRun);
    const times = ofRun.get(key) ?? 0;
    ofRun.set(key, times + 1);
    return times;
  }

  return {
    async ask({ key, run, body, deadline, signal, onSent }) {
      signal.throwIfAborted();
      const waitMs = deadline.getTime() - Date.now() - reserveMs;
      if (waitMs < shortestWaitMs) return null;
      if (performance.now() < notOfferedUntil) {
        tellDirect('not_offered', 1);
        return null;
      }
      const id = lineIdOf([key, timesAsked(run, lineIdOf(key))]);
      const { call, outcome } = waitFor(
        { id, body },
        {
          waitMs,
          signal,
          onSent,
          onOver: (over) => {
            waiting.delete(over);
            measure();
            if (over.isLate) tellDirect('late', 1);
            awaited.leave(over);
          },
        },
      );
      waiting.add(call);
      measure();
      collect(call);
      return await outcome;
    },
    close() {
      closed.abort();
      clearTimeout(timer);
      clearInterval(measuring);
    },
  };
};

const withoutBatch = (call: BatchedCall): BatchedCall => {
  call.batchId = null;
  return call;
};
