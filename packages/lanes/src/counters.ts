import { counterStreamName, counterSubject } from '@evaluation/jobs-contract';
import { DiscardPolicy, jetstreamManager, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { headers, nanos, type NatsConnection } from '@nats-io/transport-node';
import { addOrUpdate, JETSTREAM_TIMEOUT_MS } from './streams.ts';

/*
 * A counter is the last message of one subject; its payload is the total. The server (2.12 or later) adds the amount
 * of each message and returns the new total, so concurrent additions are not lost.
 */

/** Longer than the longest window of a rate limit. */
const MAX_AGE_MS = 3 * 60_000;
/** About 200 bytes each; above the limit the oldest are deleted. A limit in bytes would reserve disk space. */
const MAX_COUNTERS = 500_000;
const ANSWER_MS = 1_000;

/** Creates the stream or updates its settings. @throws Error for an existing stream without counters */
export const makeCounterStream = async (
  nats: NatsConnection,
  namespace: string,
  replicas: number | undefined,
): Promise<void> => {
  const manager = await jetstreamManager(nats, { timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });
  await addOrUpdate(manager, {
    name: counterStreamName(namespace),
    subjects: [counterSubject(namespace, '*')],
    // Core would not notice that a restart of the server deleted a stream in memory.
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    max_age: nanos(MAX_AGE_MS),
    max_msgs: MAX_COUNTERS,
    duplicate_window: nanos(MAX_AGE_MS),
    allow_msg_counter: true,
    ...(replicas === undefined ? {} : { num_replicas: replicas }),
  } satisfies Partial<StreamConfig>);
};

/** @returns the total including `amount` @throws Error when no stream has the subject or the server has no counters */
export const addToCounter = async (
  nats: NatsConnection,
  subject: string,
  amount: number,
): Promise<number> => {
  const increment = headers();
  increment.set('Nats-Incr', String(amount));
  const answer = await nats.request(subject, undefined, { headers: increment, timeout: ANSWER_MS });
  const acknowledgement: unknown = answer.json();
  const total: unknown = Reflect.get(Object(acknowledgement), 'val');
  if (typeof total !== 'string') throw new Error('the server returned no counter value');
  return Number(total);
};
