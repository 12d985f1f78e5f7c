import { controlSubject, type ControlKind } from './control.ts';
import { counterSubject, LANES, laneSubject, type Lane } from './lanes.ts';

/*
 * What each part of the service may do on NATS. This table is the one source: the embedded nats-server, the chart and
 * docker-compose.yaml take their users from `userPermissions`, and tests hold the written ones to it.
 *
 *             | publishes                        | listens to               | JetStream
 *   core      | jobs, run_stopped, keys_changed  |                          | makes streams and consumers, looks at them
 *   facade    | counters                         | keys_changed             |
 *   worker    |                                  | run_stopped              | looks at streams, takes jobs, acknowledges
 *
 * A worker reads what students send, so it is the part that is taken over first. Its user can take and drop jobs, which
 * PostgreSQL then releases again, and can tell nothing to facades or to other workers.
 */

export type Component = 'core' | 'facade' | 'worker';
export const COMPONENTS: readonly Component[] = ['core', 'facade', 'worker'];

interface Traffic {
  jobs: readonly Lane[];
  tells: readonly ControlKind[];
  hears: readonly ControlKind[];
  counters: 'makes' | 'adds' | 'none';
  /** Calls of the JetStream API on the stream of each lane, and on its consumer of the same name. */
  streamCalls: readonly string[];
  consumerCalls: readonly string[];
  acknowledges: boolean;
}

const TRAFFIC: Readonly<Record<Component, Traffic>> = {
  core: {
    jobs: LANES,
    tells: ['run_stopped', 'keys_changed'],
    hears: [],
    counters: 'makes',
    streamCalls: ['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.INFO'],
    consumerCalls: ['CONSUMER.CREATE', 'CONSUMER.INFO'],
    acknowledges: false,
  },
  facade: {
    jobs: [],
    tells: [],
    hears: ['keys_changed'],
    counters: 'adds',
    streamCalls: [],
    consumerCalls: [],
    acknowledges: false,
  },
  worker: {
    jobs: [],
    tells: [],
    hears: ['run_stopped'],
    counters: 'none',
    streamCalls: ['STREAM.INFO'],
    consumerCalls: ['CONSUMER.INFO', 'CONSUMER.MSG.NEXT'],
    acknowledges: true,
  },
};

/** Stream of a lane; its one durable consumer has the same name. */
export function streamName(namespace: string, lane: Lane): string {
  return `${namespace}_${lane}`;
}

/** Stream of the counters. */
export function counterStreamName(namespace: string): string {
  return `${namespace}_counters`;
}

/** Where answers to a component's requests arrive: no other component's user may listen there. */
export function inboxPrefix(component: Component): string {
  return `_INBOX.${component}`;
}

/** Subjects that a component may publish to and subscribe to. Both lists are complete: all else is refused. */
export interface UserPermissions {
  publish: string[];
  subscribe: string[];
}

/** @param namespace `*` for every namespace of a server, which then keeps components apart and not namespaces */
export function userPermissions(component: Component, namespace: string): UserPermissions {
  const { jobs, tells, hears, counters, streamCalls, consumerCalls, acknowledges } = TRAFFIC[component];
  // A wildcard stands for a whole token, so with it all streams are one.
  const streams = namespace === '*' ? ['*'] : LANES.map((lane) => streamName(namespace, lane));
  const made = counters === 'makes' && namespace !== '*' ? [counterStreamName(namespace)] : [];
  return {
    publish: [
      ...jobs.map((lane) => laneSubject(namespace, lane)),
      ...tells.map((kind) => controlSubject(namespace, kind)),
      ...(counters === 'adds' ? [counterSubject(namespace, '*')] : []),
      ...made.flatMap((stream) => streamCalls.map((call) => `$JS.API.${call}.${stream}`)),
      ...streams.flatMap((stream) => [
        ...streamCalls.map((call) => `$JS.API.${call}.${stream}`),
        ...consumerCalls.map((call) => `$JS.API.${call}.${stream}.${stream}`),
        ...(acknowledges ? [`$JS.ACK.${stream}.${stream}.>`] : []),
      ]),
    ],
    subscribe: [...hears.map((kind) => controlSubject(namespace, kind)), `${inboxPrefix(component)}.>`],
  };
}

/** The same as a user's `permissions` in the configuration of nats-server. */
export function permissionsText(component: Component, namespace: string): string {
  const { publish, subscribe } = userPermissions(component, namespace);
  const list = (subjects: string[]): string =>
    `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;
  return `{ publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} } }`;
}
