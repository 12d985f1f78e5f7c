import type { Component, ControlKind, ControlMessages, Lane, LaneJobs } from '@evaluation/jobs-contract';

/** Events for operators. The details never include message content. */
export type LaneProgress = (event: string, details: Readonly<Record<string, string | number>>) => void;

export interface OpenLanesOptions {
  /** `nats://[user:password@]host:port`, or several separated by commas; `tls://` requires TLS. */
  readonly url: string;
  /** Separates installations that share one NATS server; letters, digits, `_` and `-`. */
  readonly namespace: string;
  /**
   * Replicas of each stream; a stream with another number is changed. Unset: a new stream has 1, others keep theirs.
   */
  readonly replicas?: number;
  /** The component of this client: its name in the server's connection list, and its permissions. */
  readonly name: Component;
  readonly onProgress?: LaneProgress;
}

interface PublishResult {
  /** The lane already had this message id (within two minutes) and did not add the message. */
  readonly duplicate: boolean;
}

/** A handler's decision on its message. The first call counts. */
export interface MessageReply {
  /** The job is claimed in PostgreSQL, or needs no work: the message leaves the lane. */
  ack(): void;
  /** The lane delivers the message to any puller after `delayMs`. */
  release(delayMs: number): void;
}

export interface PullOptions<L extends Lane> {
  readonly concurrency: number;
  /** When aborted, no new job is taken and running handlers finish. */
  readonly signal: AbortSignal;
  /**
   * Called before a free slot asks the lane for a job. Resolves when the slot may ask, with a signal that withdraws
   * the permission as long as no job has arrived; rejects when `signal` aborts. Meanwhile jobs stay in the lane for
   * other pullers. Default: always permitted.
   */
  readonly mayTake?: (signal: AbortSignal) => Promise<AbortSignal>;
  /**
   * Handles one job. Must call `ack` within 5 seconds, once the job is claimed and before it is done; a later claim
   * may find the job claimed by another puller. After that the lease in PostgreSQL brings a lost job back. A handler
   * that throws, or returns without a decision, releases the job.
   */
  handle(job: LaneJobs[L], reply: MessageReply): Promise<void>;
}

/** Messages to all connected processes. A process that is not connected misses them. */
export interface Broadcasts {
  /**
   * Sends to all listeners, in order, best effort.
   *
   * @throws LaneUnavailable without a connection
   */
  broadcast<K extends ControlKind>(kind: K, message: ControlMessages[K]): Promise<void>;
  /** Listens, from the next connection on if there is none yet. An error of the handler is only reported. */
  onBroadcast<K extends ControlKind>(kind: K, handler: (message: ControlMessages[K]) => void): () => void;
}

/** Numbers that several processes change together, such as the requests of an institute in one second. */
export interface Counters {
  /**
   * Adds to a counter. A counter begins at 0 and is deleted a few minutes after its last change.
   *
   * @param name letters, digits, `:`, `_` and `-`
   * @returns the total including `amount`
   * @throws LaneUnavailable after about a second; the amount may or may not have been added
   */
  count(name: string, amount: number): Promise<number>;
}

/** Queues between core and the workers; PostgreSQL has the full state (docs/architecture.md#the-picture). */
export interface Lanes extends Broadcasts, Counters {
  /**
   * Creates the streams of lanes and counters, or updates their settings.
   *
   * @throws LaneUnavailable
   */
  ensureStreams(): Promise<void>;
  /**
   * Puts a job into its lane and waits for the server's acknowledgement. A repetition under the same id is harmless:
   * the server drops it within two minutes, and later the claim in PostgreSQL fails.
   *
   * @throws LaneUnavailable the job may or may not be in the lane; publish again
   */
  publish<L extends Lane>(lane: L, job: LaneJobs[L], messageId: string): Promise<PublishResult>;
  /**
   * Takes jobs until `signal` aborts, and resolves when the last handler is done. A missing server is waited for; a
   * missing stream or consumer is created again.
   */
  pull<L extends Lane>(lane: L, options: PullOptions<L>): Promise<void>;
  /**
   * Number of unacknowledged jobs in the lane.
   *
   * @throws LaneUnavailable
   */
  depth(lane: Lane): Promise<number>;
  /**
   * Publication time of the oldest unacknowledged job, by the server's clock; null when the lane is empty. Lanes are
   * ordered, so every job published before that time has left the lane.
   *
   * @throws LaneUnavailable
   */
  oldest(lane: Lane): Promise<Date | null>;
  /**
   * Number of jobs that pullers of all processes are asking for: their free slots.
   *
   * @throws LaneUnavailable
   */
  askedFor(lane: Lane): Promise<number>;
  /** Stop pulling first. */
  close(): Promise<void>;
}
