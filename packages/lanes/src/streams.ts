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

/** Messages with the same id are dropped for this long, which exceeds the retries of one publication. */
const DUPLICATE_WINDOW_MS = 2 * 60_000;
/** Jobs of older messages have been released again by then. */
const MAX_AGE_MS = 24 * 60 * 60_000;
/**
 * A message of a puller that died before its claim goes to another puller after this time. A slower claim costs one
 * more message, whose claim finds nothing.
 */
const ACK_WAIT_MS = 4_000;
/** JetStream usually answers in milliseconds; a later answer means that it is recovering. */
export const JETSTREAM_TIMEOUT_MS = 5_000;
/** The server's error "stream name already in use with a different configuration". */
const STREAM_DIFFERS = 10058;
/** The server's error "consumer already exists", for one with a different configuration. */
const CONSUMER_DIFFERS = 10148;

export const manage = (nats: NatsConnection): Promise<JetStreamManager> => {
  // No check of the API: the first request fails if JetStream is off.
  return jetstreamManager(nats, { timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });
};

/** Creates the streams and consumers of all lanes, or updates the settings chosen by an earlier release. */
export const makeStreams = async (
  nats: NatsConnection,
  namespace: string,
  replicas: number | undefined,
): Promise<void> => {
  const manager = await manage(nats);
  for (const lane of LANES) await makeLane(manager, namespace, lane, replicas);
};

/**
 * The durable consumer of a lane, created if it is missing and this connection may create it.
 *
 * @throws Error when it is missing and this connection may not create it; core does with the next job that it
 * publishes
 */
export const findConsumer = async (
  nats: NatsConnection,
  namespace: string,
  lane: Lane,
  replicas: number | undefined,
): Promise<Consumer> => {
  const name = streamName(namespace, lane);
  const { consumers } = jetstream(nats, { timeout: JETSTREAM_TIMEOUT_MS });
  try {
    return await consumers.get(name, name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
    await makeLane(await manage(nats), namespace, lane, replicas);
    return await consumers.get(name, name);
  }
};

const makeLane = async (
  manager: JetStreamManager,
  namespace: string,
  lane: Lane,
  replicas: number | undefined,
): Promise<void> => {
  const name = streamName(namespace, lane);
  await makeStream(manager, namespace, lane, replicas);
  const settings = {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    // No limit on the server: at its limit the server stops delivering but keeps the message. The puller counts
    // deliveries and terminates the message, which deletes it.
    max_deliver: -1,
  };
  try {
    await manager.consumers.add(name, settings);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === CONSUMER_DIFFERS)) throw error;
    await manager.consumers.update(name, name, settings);
  }
};

const makeStream = async (
  manager: JetStreamManager,
  namespace: string,
  lane: Lane,
  replicas: number | undefined,
): Promise<void> => {
  await addOrUpdate(manager, {
    name: streamName(namespace, lane),
    subjects: [laneSubject(namespace, lane)],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    compression: StoreCompression.None,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    max_age: nanos(MAX_AGE_MS),
    ...(replicas === undefined ? {} : { num_replicas: replicas }),
  } satisfies Partial<StreamConfig>);
};

/** Creates a stream, or gives an existing one these settings. */
export const addOrUpdate = async (
  manager: JetStreamManager,
  settings: Partial<StreamConfig> & { name: string },
): Promise<void> => {
  try {
    await manager.streams.add(settings);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === STREAM_DIFFERS)) throw error;
    await manager.streams.update(settings.name, settings);
  }
};
