import { connect, type NatsConnection } from '@nats-io/transport-node';

/** A connection of the test to the NATS of a service, to inspect and break its streams. */
export const natsOf = (environment: Record<string, string>): Promise<NatsConnection> => {
  const { host, username, password } = new URL(environment['NATS_URL'] ?? '');
  return connect({ servers: host, user: username, pass: decodeURIComponent(password) });
};
