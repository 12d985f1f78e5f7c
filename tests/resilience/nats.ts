import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';

/** A connection of the test to the NATS of a service, to inspect and break its streams. */
export const natsOf = (environment: Record<string, string>): Promise<NatsConnection> => {
  const { host, username, password } = new URL(environment['NATS_URL'] ?? '');
  return connect({ servers: host, user: username, pass: decodeURIComponent(password) });
};

/** Messages of a lane without acknowledgement, and those of them that are delivered to workers. */
export const inLane = async (
  environment: Record<string, string>,
  lane: string,
): Promise<{ messages: number; taken: number }> => {
  const nats = await natsOf(environment);
  try {
    const manager = await jetstreamManager(nats);
    const name = `${environment['LANE_NAMESPACE']}_${lane}`;
    const { state } = await manager.streams.info(name);
    const taken = await manager.consumers.info(name, name).then(
      ({ num_ack_pending }) => num_ack_pending,
      () => 0,
    );
    return { messages: state.messages, taken };
  } finally {
    await nats.close();
  }
};
