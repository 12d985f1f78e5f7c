import { counterStreamName, counterSubject } from '@evaluation/jobs-contract';
import { DiscardPolicy, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { headers, nanos, type NatsConnection } from '@nats-io/transport-node';
import { JETSTREAM_TIMEOUT_MS } from './streams.ts';

/*
 * A counter is the last message of a subject in one stream, with the total as its payload. The server adds the amount that a
 * message brings and answers the new total, so additions of several processes never lose each other. Needs nats-server 2.12.
 */

/** Longer than the longest window of a rate limit. */
const MAX_AGE_MS = 3 * 60_000;
/** Some 200 bytes each; beyond it the oldest go. A bound in bytes would be reserved on the server's disk. */
const MAX_COUNTERS = 500_000;
/** An answer takes about a millisecond. */
const ANSWER_MS = 1_000;

/** Creates the stream. A stream that is there stays as it is: its kind cannot be changed. */
export async function makeCounterStream(nats: NatsConnection, namespace: string): Promise<void> {
  const manager = await jetstreamManager(nats, { timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });
  await manager.streams.add({
    name: counterStreamName(namespace),
    subjects: [counterSubject(namespace, '*')],
    // A stream in memory would be gone after a restart of the server, and core would not notice.
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    max_age: nanos(MAX_AGE_MS),
    max_msgs: MAX_COUNTERS,
    duplicate_window: nanos(MAX_AGE_MS),
    allow_msg_counter: true,
  });
}

/**
 * @returns the total with `amount`
 * @throws Error no stream has the subject, or its server keeps no counters
 */
export async function addToCounter(nats: NatsConnection, subject: string, amount: number): Promise<number> {
  const increment = headers();
  increment.set('Nats-Incr', String(amount));
  const answer = await nats.request(subject, undefined, { headers: increment, timeout: ANSWER_MS });
  const acknowledgement: unknown = answer.json();
  const total: unknown = Reflect.get(Object(acknowledgement), 'val');
  if (typeof total !== 'string') throw new Error('the server keeps no counters');
  return Number(total);
}
