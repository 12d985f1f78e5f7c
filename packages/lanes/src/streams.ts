import { LANES, laneSubject, streamName, type Lane } from '@evaluation/jobs-contract';
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  type Consumer,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';

/** A second message under one id is dropped for this long: longer than any retry of one publication. */
const DUPLICATE_WINDOW_MS = 2 * 60_000;
/** Nobody waits for an older message: PostgreSQL has released its run again long ago. */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** A puller that died before it claimed: the message goes to another one after this. */
const ACK_WAIT_MS = 30_000;
/** JetStream answers in milliseconds; one that does not is busy recovering. */
export const JETSTREAM_TIMEOUT_MS = 5_000;
/** The server's "stream name already in use with a different configuration". */
const STREAM_DIFFERS = 10058;

/** JetStream's management API on this connection. */
export function manage(nats: NatsConnection): Promise<JetStreamManager> {
  // The API is not checked here: the first real request says as much.
  return jetstreamManager(nats, { timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });
}

/** Create the streams and consumers of all lanes, or update those whose settings a former release chose. */
export async function makeStreams(nats: NatsConnection, namespace: string): Promise<void> {
  const manager = await manage(nats);
  for (const lane of LANES) await makeLane(manager, namespace, lane);
}

/**
 * The durable consumer of a lane. Core makes it; where it is missing, a connection that may make it does so too.
 *
 * @throws Error it is missing and this connection may not make it: core does, with the next job it publishes
 */
export async function findConsumer(nats: NatsConnection, namespace: string, lane: Lane): Promise<Consumer> {
  const name = streamName(namespace, lane);
  const { consumers } = jetstream(nats, { timeout: JETSTREAM_TIMEOUT_MS });
  try {
    return await consumers.get(name, name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
    await makeLane(await manage(nats), namespace, lane);
    return await consumers.get(name, name);
  }
}

async function makeLane(manager: JetStreamManager, namespace: string, lane: Lane): Promise<void> {
  const name = streamName(namespace, lane);
  await makeStream(manager, namespace, lane);
  await manager.consumers.add(name, {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    // Unbounded here: at its own bound the server stops delivering, yet keeps the message as a ghost. The puller counts
    // the deliveries and ends the message instead, which removes it.
    max_deliver: -1,
  });
}

async function makeStream(manager: JetStreamManager, namespace: string, lane: Lane): Promise<void> {
  const settings = {
    name: streamName(namespace, lane),
    subjects: [laneSubject(namespace, lane)],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    compression: StoreCompression.None,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    max_age: nanos(MAX_AGE_MS),
  } satisfies Partial<StreamConfig>;
  try {
    await manager.streams.add(settings);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === STREAM_DIFFERS)) throw error;
    await manager.streams.update(settings.name, settings);
  }
}
