import {
  controlMessages,
  controlSubject,
  counterSubject,
  laneJobs,
  laneSubject,
  streamName,
  type ControlKind,
  type ControlMessages,
  type Lane,
} from '@evaluation/jobs-contract';
import { jetstream, JetStreamApiError, type JetStreamManager, type StreamState } from '@nats-io/jetstream';
import { errors, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { addToCounter, makeCounterStream } from './counters.ts';
import { keepConnected, LaneUnavailable } from './connection.ts';
import type { LaneProgress, Lanes, OpenLanesOptions } from './lanes.ts';
import { pullLane } from './pull.ts';
import { JETSTREAM_TIMEOUT_MS, makeStreams, manage } from './streams.ts';

export { LaneUnavailable } from './connection.ts';

const NAMESPACE = /^[A-Za-z0-9_-]{1,64}$/;

const controlCodecs: {
  readonly [K in ControlKind]: {
    encode(message: ControlMessages[K]): Uint8Array;
    decode(bytes: Uint8Array): ControlMessages[K];
  };
} = controlMessages;

/**
 * Opens the lanes and returns at once. While NATS is down, operations fail with `LaneUnavailable`; the connection is
 * retried in the background.
 *
 * @throws RangeError for a namespace that cannot be part of a subject
 * @throws TypeError for an invalid `url`
 */
export const openLanes = (options: OpenLanesOptions): Lanes => {
  const { namespace, replicas } = options;
  if (!NAMESPACE.test(namespace)) throw new RangeError('a namespace must be 1 to 64 letters, digits, _ or -');
  const progress: LaneProgress = options.onProgress ?? (() => {});
  const connection = keepConnected(options);

  async function withNats<T>(what: string, operation: (nats: NatsConnection) => Promise<T>): Promise<T> {
    const nats = await connection.ready();
    try {
      return await operation(nats);
    } catch (error) {
      throw new LaneUnavailable(`${what}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  /** A missing counter stream is only reported: each facade then counts by itself, and jobs need no counters. */
  async function makeAll(nats: NatsConnection): Promise<void> {
    await makeStreams(nats, namespace, replicas);
    await makeCounterStream(nats, namespace, replicas).catch((error: unknown) =>
      progress('lanes.no_counters', { reason: error instanceof Error ? error.message : String(error) }),
    );
  }

  /** @returns null when the stream or its consumer is missing */
  const look = <T>(
    what: string,
    lane: Lane,
    ask: (manager: JetStreamManager, name: string) => Promise<T>,
  ): Promise<T | null> =>
    withNats(`${what} of ${lane}`, async (nats) => {
      try {
        return await ask(await manage(nats), streamName(namespace, lane));
      } catch (error) {
        if (isStreamMissing(error)) return null;
        throw error;
      }
    });
  const stateOf = async (what: string, lane: Lane): Promise<StreamState | undefined> =>
    (await look(what, lane, (manager, name) => manager.streams.info(name)))?.state;

  return {
    ensureStreams: () => withNats('ensure streams', (nats) => makeAll(nats)),

    publish(lane, job, messageId) {
      const bytes = laneJobs[lane].encode(job);
      return withNats(`publish to ${lane}`, async (nats) => {
        const send = () =>
          jetstream(nats).publish(laneSubject(namespace, lane), bytes, {
            msgID: messageId,
            timeout: JETSTREAM_TIMEOUT_MS,
            expect: { streamName: streamName(namespace, lane) },
          });
        try {
          return { duplicate: (await send()).duplicate };
        } catch (error) {
          if (!isStreamMissing(error)) throw error;
          progress('lane.stream_missing', { lane });
          await makeAll(nats);
          return { duplicate: (await send()).duplicate };
        }
      });
    },

    count: (name, amount) =>
      withNats('count', (nats) => addToCounter(nats, counterSubject(namespace, name), amount)),

    pull: (lane, pullOptions) => pullLane({ connection, namespace, replicas, progress }, lane, pullOptions),

    broadcast: (kind, message) =>
      withNats(`broadcast ${kind}`, async (nats) => {
        nats.publish(controlSubject(namespace, kind), controlCodecs[kind].encode(message));
      }),

    onBroadcast(kind, handler) {
      let subscription: Subscription | undefined;
      let stopped = false;
      connection.onOpen((nats) => {
        if (stopped) return;
        subscription = nats.subscribe(controlSubject(namespace, kind), {
          callback: (error, message) => {
            try {
              if (error !== null) throw error;
              handler(controlCodecs[kind].decode(message.data));
            } catch (reason) {
              progress('lanes.broadcast_failed', {
                kind,
                reason: reason instanceof Error ? reason.message : String(reason),
              });
            }
          },
        });
      });
      return () => {
        stopped = true;
        if (subscription !== undefined && !subscription.isClosed()) subscription.unsubscribe();
      };
    },

    depth: async (lane) => (await stateOf('depth', lane))?.messages ?? 0,

    async oldest(lane) {
      const state = await stateOf('oldest job', lane);
      // An empty stream has a `first_ts` too.
      return state === undefined || state.messages === 0 ? null : new Date(state.first_ts);
    },

    async askedFor(lane) {
      const consumer = await look('requests', lane, (manager, name) => manager.consumers.info(name, name));
      // Workers may not create the consumer, so core does it here and not only at its next start.
      if (consumer === null) await withNats('make streams', (nats) => makeAll(nats));
      return consumer?.num_waiting ?? 0;
    },

    close: () => connection.close(),
  };
};

const isStreamMissing = (error: unknown): boolean => {
  if (error instanceof JetStreamApiError) return error.status === 404;
  // When no stream has the subject, the client reports JetStream as off, with this error as the cause.
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof errors.RequestError && cause.isNoResponders();
};
