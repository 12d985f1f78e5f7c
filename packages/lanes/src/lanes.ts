import type { Component, ControlKind, ControlMessages, Lane, LaneJobs } from '@evaluation/jobs-contract';

/** What the lanes have to tell an operator; never with the content of a message. */
export type LaneProgress = (event: string, details: Readonly<Record<string, string | number>>) => void;

export interface OpenLanesOptions {
  /** `nats://[user:password@]host:port`, or several separated by commas; `tls://` to require TLS. */
  readonly url: string;
  /** Keeps installations that share one NATS apart; letters, digits, `_` and `-`. */
  readonly namespace: string;
  /** The part of the service that this client is: its name in the server's connection list, and its permissions. */
  readonly name: Component;
  readonly onProgress?: LaneProgress;
}

export interface PublishResult {
  /** The lane had this message id already (within two minutes), so this publication added nothing. */
  readonly duplicate: boolean;
}

/** How a handler says what becomes of its message. The first call counts. */
export interface MessageReply {
  /** The job is claimed in PostgreSQL (or needs no work any more): the lane may forget it. */
  ack(): void;
  /** Not now: give it to any puller again after `delayMs`. */
  release(delayMs: number): void;
}

export interface PullOptions<L extends Lane> {
  /** Jobs being handled at the same time, at most. */
  readonly concurrency: number;
  /** Aborted: no new job is taken; those in hand are finished. */
  readonly signal: AbortSignal;
  /**
   * Asked each time before a free slot asks the lane for a job: resolves once it may, to a signal that takes the
   * permission back as long as no job has come. Left out: it always may. A job stays in the lane, for any puller that
   * has permission, until then. Rejects when `signal` aborts.
   */
  readonly mayTake?: (signal: AbortSignal) => Promise<AbortSignal>;
  /**
   * Handle one job. Call `ack` as soon as it is claimed, within 30 seconds, not when it is done: from the claim on, the
   * lease in PostgreSQL watches over it. A handler that throws, or returns without settling, releases the job.
   */
  handle(job: LaneJobs[L], settle: MessageReply): Promise<void>;
}

/** Messages to every process that is connected now; lost to the others. */
export interface Broadcasts {
  /**
   * Tell all listeners, in order, best effort.
   *
   * @throws LaneUnavailable there is no connection
   */
  broadcast<K extends ControlKind>(kind: K, message: ControlMessages[K]): Promise<void>;
  /** Listen, from the next connection on if there is none yet. A handler's error is reported and goes no further. */
  onBroadcast<K extends ControlKind>(kind: K, handler: (message: ControlMessages[K]) => void): () => void;
}

/** Numbers that several processes change together, such as the requests of an institute in one second. */
export interface Counters {
  /**
   * Adds to a counter, which begins at 0 and is forgotten a few minutes after its last change.
   *
   * @param name letters, digits, `:`, `_` and `-`
   * @returns the total with `amount`
   * @throws LaneUnavailable within about a second; the amount may or may not have been added
   */
  count(name: string, amount: number): Promise<number>;
}

/** The conveyor between core and the workers (docs/architecture.md#the-picture). PostgreSQL is the truth: all of it may be lost. */
export interface Lanes extends Broadcasts, Counters {
  /**
   * Create the streams of lanes and counters, or bring their settings up to date.
   *
   * @throws LaneUnavailable
   */
  ensureStreams(): Promise<void>;
  /**
   * Put one job into its lane and wait until the server has it. Publishing again under the same id is harmless: the
   * server drops it for two minutes, and after that the claim in PostgreSQL does.
   *
   * @throws LaneUnavailable it may or may not be in the lane; publish again
   */
  publish<L extends Lane>(lane: L, job: LaneJobs[L], messageId: string): Promise<PublishResult>;
  /**
   * Take jobs until `signal` aborts; resolves when the last handler is done. Outlives the server, the stream and the
   * consumer: whatever is missing is waited for or made anew.
   */
  pull<L extends Lane>(lane: L, options: PullOptions<L>): Promise<void>;
  /**
   * Jobs in the lane that nobody has acknowledged yet.
   *
   * @throws LaneUnavailable
   */
  depth(lane: Lane): Promise<number>;
  /**
   * When the oldest job that nobody has acknowledged yet came into the lane, by the server's clock; null when there is
   * none. A lane is in order, so whatever was published before that moment is in it no more.
   *
   * @throws LaneUnavailable
   */
  oldest(lane: Lane): Promise<Date | null>;
  /**
   * How many jobs pullers are asking for now: their free slots, over all processes.
   *
   * @throws LaneUnavailable
   */
  askedFor(lane: Lane): Promise<number>;
  /** Send what is buffered and disconnect. Stop pulling first. */
  close(): Promise<void>;
}
