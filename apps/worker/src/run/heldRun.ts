import { retryWhile } from '@evaluation/platform/backoff';
import {
  failureOf,
  isUnreachable,
  type CoreAccess,
  type CoreClient,
  type RunMaterial,
} from '@evaluation/core-client';
import type { Logger } from '@evaluation/platform/telemetry';
import { openRecords, type RunRecords } from './records.ts';

/*
 * A run claimed by this worker. State: the lease, and fence and token of the claim, which are sent with every write.
 * Each write extends the lease; after a third of the lease without a call, a heartbeat does. The run ends here when it
 * is recorded as complete or failed. It also ends when core refuses a write, because another worker has the run or it
 * was stopped; `signal` then aborts all work. If this process dies, the lease expires and the run is delivered again.
 */

/** Core refused a write: the run was stopped, or another worker has it. All work on it ends. */
export class RunLost extends Error {
  constructor() {
    super('the run is no longer held');
    this.name = 'RunLost';
  }
}

type Grading = CoreClient['grading'];
type Held = Parameters<Grading['heartbeat']['mutate']>[0]['held'];

/** The worker's deadline comes earlier than core's, so that the worker reports the failure with its reason. */
const AHEAD_OF_CORE_MS = 500;

const HAND_BACK_MS = 2000;

export const isCoreAway = (error: unknown): boolean =>
  failureOf(error)?.code === 'service_unavailable' || isUnreachable(error);

export interface HeldRun {
  material: RunMaterial;
  /** Aborts when the run is lost, stopped or handed back. */
  signal: AbortSignal;
  deadline: Date;
  /**
   * Calls core with fence and token; retries while core is not reachable, since every record is idempotent.
   * @throws RunLost
   */
  write<T>(call: (grading: Grading, held: Held) => Promise<T>): Promise<T>;
  /** Records of the run, sent in batches. */
  records: RunRecords;
  stop(reason: Error): void;
  /**
   * Stops work, records what is made, and returns the run, so that another worker can take it at once. Best effort: if
   * a call fails, the lease expires.
   */
  handBack(): Promise<void>;
  close(): void;
}

export const holdRun = (core: CoreAccess, material: RunMaterial, log: Logger): HeldRun => {
  const abort = new AbortController();
  const { run_id, institute_id, fence, token } = material;
  const held: Held = { run_id, institute_id, fence, token };
  const grading = core.as({ requestId: material.run_id }).grading;

  const write = async <T>(call: (grading: Grading, held: Held) => Promise<T>): Promise<T> => {
    try {
      const answer = await retryWhile(isCoreAway, () => call(grading, held), {
        signal: abort.signal,
        until: null,
        onRetry: (error) =>
          log.warn({ err: error, run_id: held.run_id }, 'core is not reachable: the call is retried'),
      });
      // Each call has extended the lease, or left two thirds of it (core's `grading/runs/lookUp.ts`).
      heartbeat.refresh();
      return answer;
    } catch (error) {
      if (failureOf(error)?.code !== 'conflict') throw error;
      abort.abort(new RunLost());
      throw new RunLost();
    }
  };

  const heartbeat = setInterval(
    () => {
      grading.heartbeat.mutate({ held }).catch((error: unknown) => {
        if (failureOf(error)?.code === 'conflict') abort.abort(new RunLost());
      });
    },
    (material.lease_seconds * 1000) / 3,
  );

  const records = openRecords((batch) => write((_, own) => grading.record.mutate({ held: own, ...batch })));

  return {
    material,
    signal: abort.signal,
    deadline: new Date(Date.parse(material.deadline_at) - AHEAD_OF_CORE_MS),
    write,
    records,
    stop: (reason) => abort.abort(reason),
    handBack: async () => {
      abort.abort(new RunLost());
      const signal = AbortSignal.timeout(HAND_BACK_MS);
      try {
        await records.sendLeft((batch) => grading.record.mutate({ held, ...batch }, { signal }));
        await grading.handBack.mutate({ held }, { signal });
      } catch (error) {
        log.warn({ err: error, run_id: held.run_id }, 'handing a run back failed: its lease will expire');
      }
    },
    close: () => {
      clearInterval(heartbeat);
      records.close();
      abort.abort(new RunLost());
    },
  };
};
