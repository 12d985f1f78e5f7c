import { createBackoff } from '@evaluation/platform/backoff';
import { laneJobs, UnknownJobVersion, type Lane, type LaneJobs } from '@evaluation/jobs-contract';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import pLimit from 'p-limit';
import type { Connection } from './connection.ts';
import type { LaneProgress, PullOptions } from './lanes.ts';
import { findConsumer } from './streams.ts';

/*
 * State of a puller: `concurrency` slots. Each slot waits for permission, asks for one message, handles one, or waits
 * after a failure. At most MOST_ASKING slots ask at once. Only a free slot asks for a message, so that no message
 * waits inside a busy process while another process is free.
 * On a crash: unacknowledged messages go to another puller after 5 seconds. Acknowledged ones are claimed, and their
 * lease in PostgreSQL brings them back.
 */

/** Time after which a slot renews its request for a message. */
const REQUEST_MS = 10_000;
/** Deliveries without a claim, after which a message is dropped. PostgreSQL then releases the job again. */
const MAX_DELIVERIES = 10;
/** Time for a message of a newer release to reach a puller of that release. */
const UNKNOWN_VERSION_DELAY_MS = 5_000;
/** Pause after a handler failed, by the number of deliveries: core is often back after a second. */
const FAILED_HANDLER_DELAYS_MS = [500, 1_000, 2_000];
const LONGEST_FAILED_HANDLER_DELAY_MS = 5_000;
/** Slots of one process that ask at once: a consumer accepts 512 requests of all processes together. */
const MOST_ASKING = 32;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

export const pullLane = async <L extends Lane>(
  place: { connection: Connection; namespace: string; replicas: number | undefined; progress: LaneProgress },
  lane: L,
  options: PullOptions<L>,
): Promise<void> => {
  const { connection, namespace, replicas, progress } = place;
  const { concurrency, signal, handle } = options;
  const mayTake = options.mayTake ?? (() => Promise.resolve(signal));
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new RangeError('concurrency must be at least 1');

  // One consumer for all slots, looked up again after a failure.
  let consumer: Promise<Consumer> | undefined;
  let failing = false;
  const asking = pLimit(MOST_ASKING);

  function currentConsumer(): Promise<Consumer> {
    consumer ??= connection.ready().then((nats) => findConsumer(nats, namespace, lane, replicas));
    return consumer;
  }

  function failed(used: Promise<Consumer> | undefined, error: unknown): void {
    if (consumer === used) consumer = undefined;
    if (!failing) progress('lane.pull_failed', { lane, reason: reasonOf(error) });
    failing = true;
  }

  function works(): void {
    if (failing) progress('lane.pull_resumed', { lane });
    failing = false;
  }

  async function runSlot(): Promise<void> {
    const backoff = createBackoff({ firstMs: FIRST_RETRY_MS, lastMs: LAST_RETRY_MS });
    while (!signal.aborted) {
      const used = currentConsumer();
      try {
        const found = await unlessAborted(used, signal);
        if (found === undefined) return;
        const message = await asking(async () => {
          const permission = await mayTake(signal);
          return await nextMessage(found, AbortSignal.any([signal, permission]));
        });
        works();
        backoff.reset();
        if (message !== undefined) await handleMessage(message, lane, handle, progress);
      } catch (error) {
        if (signal.aborted) return;
        failed(used, error);
        await backoff.pause(signal).catch(() => {});
      }
    }
  }

  await Promise.all(Array.from({ length: concurrency }, runSlot));
};

/** Resolves to undefined as soon as `signal` aborts, because a lookup at a dead server takes its full timeout. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
};

/**
 * Asks for one message.
 *
 * @returns undefined when the request ended without a message or `signal` aborted
 * @throws Error when the consumer is missing or the server does not answer
 */
const nextMessage = async (consumer: Consumer, signal: AbortSignal): Promise<JsMsg | undefined> => {
  if (signal.aborted) return undefined;
  const messages = await consumer.fetch({ max_messages: 1, expires: REQUEST_MS, bind: true });
  const stop = () => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const message of messages) {
      if (!signal.aborted) return message;
      message.nak();
    }
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
    // End the request before its message is handled: an open request would report missed heartbeats of the server.
    messages.stop();
  }
};

const handleMessage = async <L extends Lane>(
  message: JsMsg,
  lane: L,
  handle: PullOptions<L>['handle'],
  progress: LaneProgress,
): Promise<void> => {
  if (message.info.deliveryCount > MAX_DELIVERIES) {
    message.term('delivered too often');
    progress('lane.message_dropped', { lane, seq: message.seq, deliveries: message.info.deliveryCount - 1 });
    return;
  }
  const job = readJob(message, lane, progress);
  if (job === undefined) return;

  let isAnswered = false;
  const answerOnce = (answer: () => void) => {
    if (isAnswered) return;
    isAnswered = true;
    answer();
  };
  try {
    await handle(job, {
      ack: () => answerOnce(() => message.ack()),
      release: (delayMs) => answerOnce(() => message.nak(delayMs)),
    });
  } catch (error) {
    progress('lane.handler_failed', { lane, seq: message.seq, reason: reasonOf(error) });
  }
  const delayMs = FAILED_HANDLER_DELAYS_MS[message.info.deliveryCount - 1] ?? LONGEST_FAILED_HANDLER_DELAY_MS;
  answerOnce(() => message.nak(delayMs));
};

/** Returns the job of a message. An undecodable message is answered here and gives undefined. */
const readJob = <L extends Lane>(
  message: JsMsg,
  lane: L,
  progress: LaneProgress,
): LaneJobs[L] | undefined => {
  try {
    return laneJobs[lane].decode(message.data);
  } catch (error) {
    if (error instanceof UnknownJobVersion) {
      message.nak(UNKNOWN_VERSION_DELAY_MS);
      progress('lane.unknown_version', { lane, seq: message.seq, version: error.version });
    } else {
      message.term('unreadable');
      progress('lane.unreadable_message', { lane, seq: message.seq, reason: reasonOf(error) });
    }
    return undefined;
  }
};

const reasonOf = (error: unknown): string => {
  return error instanceof Error ? error.message : String(error);
};
