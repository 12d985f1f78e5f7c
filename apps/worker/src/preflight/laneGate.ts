/**
 * Keeps runs of a lane from a model endpoint that has not passed its preflight.
 *
 *   checking ──passed──▶ open: runs begin
 *   checking ──failed──▶ shut: no run is graded; checked again after 1 s, doubling to 30 s
 *   open ──an outage is over, or a call lost material──▶ checking
 *
 * While the lane is shut, runs stay queued as rows and their time does not begin (decision 013). The exception is one
 * run an hour, which tells its institute the reason: it waits in `passed` until a preflight passes, or ends as
 * `model_unavailable` at its deadline. If the reason lasts until the endpoint is changed (`UNAVAILABLE[reason].lasts`),
 * it ends at once. See decision 013.
 *
 * After an outage, calls of runs in progress wait for the preflight too, each within its deadline (`opened`).
 *
 * State: in this object, changed by its one loop and by the slots of the lane. It is lost with the process; the next
 * process runs its own preflight.
 */
import { setMaxListeners } from 'node:events';
import {
  UNAVAILABLE,
  type Grader,
  type PreflightReport,
  type PreflightRequest,
  type UnavailableReason,
  type Usage,
} from '@evaluation/grader';
import type { RunLane } from '@evaluation/jobs-contract';
import { createBackoff } from '@evaluation/platform/backoff';
import { metrics, type Logger } from '@evaluation/platform/telemetry';
import { ModelUnavailable } from './modelUnavailable.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Interval in which the log repeats that a lane is shut. */
const REPEAT_LOG_MS = 600_000;
/** While the lane is shut, one slot in this time asks for a run. It is longer than a request for a message takes. */
const ASK_EVERY_MS = 12_000;
/** Interval between two runs that are taken while the lane is shut. */
const RUN_EVERY_MS = 3_600_000;

type State =
  | { is: 'checking' }
  | { is: 'open'; report: PreflightReport }
  | { is: 'shut'; report: PreflightReport; failed: NonNullable<PreflightReport['failed']> };

export interface LaneGate {
  /**
   * Resolves when a run may be taken. The returned signal withdraws the permission while no run has been taken. Rejects
   * with the signal's reason.
   */
  mayTakeRun(signal: AbortSignal): Promise<AbortSignal>;
  /** Call when a run is being claimed. */
  begin(): void;
  /** Resolves when the run may be graded. @throws ModelUnavailable, or the signal's reason */
  passed(run: { signal: AbortSignal; deadline: Date }): Promise<void>;
  checkAgain(): void;
  isShut(): boolean;
  isOpen(): boolean;
  /** Resolves when the lane is open. Rejects with the signal's reason. */
  opened(signal: AbortSignal): Promise<void>;
  reason(): UnavailableReason | null;
  describe(): string;
  readonly firstCheck: Promise<void>;
  close(): Promise<void>;
}

export const openLaneGate = (options: {
  lane: RunLane;
  grader: Pick<Grader, 'preflight' | 'mayTakeRun' | 'model'>;
  /** null: no preflight is made, and the lane is always open. */
  request: PreflightRequest | null;
  log: Logger;
  onUsed: (usage: Usage) => void;
}): LaneGate => {
  const { lane, grader, log, request } = options;
  let state: State =
    request === null ? { is: 'open', report: { steps: [], failed: null } } : { is: 'checking' };
  let isDue = true;
  /** While the lane is shut: when the next slot may ask for a run (`performance.now()`). */
  let nextAsk = 0;
  let lastLogged: { reason: string | null; at: number } | null = null;
  let permission = newPermission();
  /** Resolved and replaced after each preflight, and after each change of state or `isDue`. */
  let change = Promise.withResolvers<void>();
  const closing = new AbortController();
  const first = Promise.withResolvers<void>();

  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };

  const enter = (next: State): void => {
    // A state that stays `shut` keeps the permission of the slot that asks.
    if (next.is !== state.is) {
      permission.abort();
      permission = newPermission();
    }
    state = next;
    changed();
  };

  const logOutcome = (report: PreflightReport & { usage: Usage }): void => {
    for (const { check, outcome } of report.steps)
      metrics.modelPreflight.set({ lane, check }, outcome === 'failed' ? 0 : 1);
    metrics.providerUp.set({ lane }, report.failed === null ? 1 : 0);
    const reason = report.failed?.reason ?? null;
    const now = performance.now();
    if (
      lastLogged !== null &&
      lastLogged.reason === reason &&
      (reason === null || now - lastLogged.at < REPEAT_LOG_MS)
    )
      return;
    lastLogged = { reason, at: now };
    const { calls, inputTokens, outputTokens } = report.usage;
    const about = {
      lane,
      model: grader.model,
      calls,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    };
    if (report.failed === null) {
      log.info(about, 'model preflight passed: the lane takes runs');
      return;
    }
    const { check, reason: why, detail } = report.failed;
    log.error(
      { ...about, check, reason: why, ...detail, remedy: UNAVAILABLE[why].remedy },
      `model preflight failed: the ${lane} lane takes no runs`,
    );
  };

  /** Runs one preflight. @returns whether to run another one after a pause */
  const checkOnce = async (asked: PreflightRequest): Promise<boolean> => {
    isDue = false;
    const report = await grader.preflight(asked, closing.signal);
    options.onUsed(report.usage);
    logOutcome(report);
    const { failed } = report;
    // `checkAgain` was called during this preflight, so its result is outdated.
    if (failed === null && isDue) return false;
    enter(failed === null ? { is: 'open', report } : { is: 'shut', report, failed });
    first.resolve();
    return failed !== null;
  };

  const keepChecking = async (asked: PreflightRequest): Promise<void> => {
    const backoff = createBackoff({ firstMs: FIRST_PAUSE_MS, lastMs: LONGEST_PAUSE_MS });
    while (!closing.signal.aborted) {
      if (!isDue) {
        await change.promise;
        continue;
      }
      const again = await checkOnce(asked).catch((error: unknown) => {
        closing.signal.throwIfAborted();
        log.error({ err: error, lane }, 'model preflight crashed: it is retried');
        return true;
      });
      if (!again) {
        backoff.reset();
        continue;
      }
      isDue = true;
      await backoff.pause(closing.signal);
    }
  };
  if (request === null) first.resolve();
  const checking = (request === null ? Promise.resolve() : keepChecking(request)).catch((error: unknown) => {
    first.resolve();
    if (!closing.signal.aborted) throw error;
  });

  /** @returns null if the lane was shut before the grader allowed a run */
  const allowedByGrader = async (signal: AbortSignal): Promise<AbortSignal | null> => {
    const open = permission.signal;
    try {
      return AbortSignal.any([open, await grader.mayTakeRun(AbortSignal.any([signal, open]))]);
    } catch (error) {
      if (!signal.aborted && open.aborted) return null;
      throw error;
    }
  };

  return {
    firstCheck: first.promise,
    async mayTakeRun(signal) {
      for (;;) {
        signal.throwIfAborted();
        if (state.is === 'open') {
          const allowed = await allowedByGrader(signal);
          if (allowed !== null) return allowed;
          continue;
        }
        if (state.is === 'shut' && performance.now() >= nextAsk) {
          nextAsk = performance.now() + ASK_EVERY_MS;
          return permission.signal;
        }
        await orAborted(change.promise, signal);
      }
    },
    begin() {
      if (state.is !== 'open') nextAsk = performance.now() + RUN_EVERY_MS;
    },
    async passed({ signal, deadline }) {
      while (state.is !== 'open') {
        const reason = state.is === 'shut' ? state.failed.reason : null;
        const left = deadline.getTime() - Date.now();
        if (left <= 0 || (reason !== null && UNAVAILABLE[reason].lasts))
          throw new ModelUnavailable(reason ?? 'unreachable');
        const wait = AbortSignal.timeout(Math.min(Math.ceil(left), LONGEST_PAUSE_MS));
        await orAborted(change.promise, AbortSignal.any([signal, wait])).catch(() => signal.throwIfAborted());
      }
    },
    checkAgain() {
      if (request === null) return;
      isDue = true;
      if (state.is === 'open') enter({ is: 'checking' });
      else changed();
    },
    isShut: () => state.is === 'shut',
    isOpen: () => state.is === 'open',
    async opened(signal) {
      while (state.is !== 'open') await orAborted(change.promise, signal);
    },
    reason: () => (state.is === 'shut' ? state.failed.reason : null),
    describe() {
      switch (state.is) {
        case 'checking':
          return 'being checked';
        case 'open': {
          const passed = state.report.steps.flatMap((step) =>
            step.outcome === 'passed' ? [step.check] : [],
          );
          return passed.length === 0 ? 'takes runs' : `takes runs (passed: ${passed.join(', ')})`;
        }
        case 'shut': {
          const { check: failedCheck, reason } = state.failed;
          return `takes no runs: ${UNAVAILABLE[reason].clause} (${failedCheck}: ${reason}); ${UNAVAILABLE[reason].remedy}`;
        }
      }
    },
    async close() {
      closing.abort();
      changed();
      await checking;
    },
  };
};

/** Settles like the promise, or rejects with the signal's reason as soon as it aborts. */
const orAborted = async (promise: Promise<void>, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

const newPermission = (): AbortController => {
  const made = new AbortController();
  // Without limit: each slot that waits for a run adds a listener.
  setMaxListeners(0, made.signal);
  return made;
};
