import { retryWhile } from '@evaluation/backoff';
import {
  failureOf,
  isUnreachable,
  type CoreAccess,
  type CoreClient,
  type RunMaterial,
} from '@evaluation/core-client';
import type { Logger } from '@evaluation/telemetry';

/*
 * A run as this worker holds it: a lease that it keeps extending, and the claim's fence and token, which go with every
 * write. The run ends for this worker when it is recorded as complete or failed, or when core refuses a write: then
 * another worker has it, or it was stopped, and `signal` aborts everything under way. If this process dies, the lease
 * expires and the run is delivered again.
 */

/** Core refused: the run belongs to somebody else now, or to nobody. Nothing is left to do here. */
export class RunLost extends Error {
  constructor() {
    super('the run is not held any more');
    this.name = 'RunLost';
  }
}

type Grading = CoreClient['grading'];
type Held = Parameters<Grading['heartbeat']['mutate']>[0]['held'];

/** The worker's deadline lies so much before core's: of the two, the worker knows why a run came to nothing. */
const AHEAD_OF_CORE_MS = 500;

/** A worker that stops waits no longer than this for core. */
const HAND_BACK_MS = 2000;

const isAway = (error: unknown): boolean =>
  failureOf(error)?.code === 'service_unavailable' || isUnreachable(error);

export interface HeldRun {
  material: RunMaterial;
  /** Aborts when the run is lost, or the worker is told to stop it. */
  signal: AbortSignal;
  deadline: Date;
  /** A run is what a grader's calls are asked for: it goes with them as their CallOptions. */
  institute: string;
  runId: string;
  /**
   * Writes something with fence and token; retried while core is not reachable, since every record is safe to repeat.
   * @throws RunLost
   */
  write<T>(call: (grading: Grading, held: Held) => Promise<T>): Promise<T>;
  stop(reason: Error): void;
  /**
   * Stops work and gives the run back, to be taken by another worker at once. Best effort: if core does not hear of
   * it, the lease runs out as if this worker had died.
   */
  handBack(): Promise<void>;
  /** The run is over here: ends the heartbeat and whatever is still under way. */
  letGo(): void;
}

export const holdRun = (core: CoreAccess, material: RunMaterial, log: Logger): HeldRun => {
  const abort = new AbortController();
  const { run_id, institute_id, fence, token } = material;
  const held: Held = { run_id, institute_id, fence, ...(token === undefined ? {} : { token }) };
  const grading = core.as({ requestId: material.run_id }).grading;

  const write = async <T>(call: (grading: Grading, held: Held) => Promise<T>): Promise<T> => {
    try {
      return await retryWhile(isAway, () => call(grading, held), {
        signal: abort.signal,
        until: null,
        onRetry: (error) =>
          log.warn({ err: error, run_id: held.run_id }, 'core is not reachable; trying again'),
      });
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

  return {
    material,
    signal: abort.signal,
    deadline: new Date(Date.parse(material.deadline_at) - AHEAD_OF_CORE_MS),
    institute: institute_id,
    runId: run_id,
    write,
    stop: (reason) => abort.abort(reason),
    handBack: async () => {
      abort.abort(new RunLost());
      try {
        await grading.handBack.mutate({ held }, { signal: AbortSignal.timeout(HAND_BACK_MS) });
      } catch (error) {
        log.warn(
          { err: error, run_id: held.run_id },
          'a run could not be handed back; its lease will run out',
        );
      }
    },
    letGo: () => {
      clearInterval(heartbeat);
      abort.abort(new RunLost());
    },
  };
};
