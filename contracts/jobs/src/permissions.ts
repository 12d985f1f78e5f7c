import { controlSubject, type ControlKind } from './control.ts';
import { counterSubject, LANES, laneSubject, type Lane } from './lanes.ts';

/*
 * Permissions of each component on NATS. The embedded nats-server, the chart and docker-compose.yaml take their users
 * from `userPermissions`; tests compare the written files with it.
 *
 *             | publishes                        | subscribes to                 | JetStream
 *   core      | jobs, run_stopped, keys_changed, |                               | creates and reads streams and consumers
 *             | results_changed                  |                               |
 *   facade    | counters                         | keys_changed, results_changed |
 *   worker    |                                  | run_stopped                   | reads streams, takes jobs, acknowledges
 *
 * The desk connects as `facade`: both receive core's broadcasts, and a user of its own would need another secret in
 * each installation.
 *
 * A worker processes students' files, so it is the component most exposed to attacks. Its user can take and drop jobs,
 * which PostgreSQL then releases again, but cannot publish to facades or other workers.
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
    tells: ['run_stopped', 'keys_changed', 'results_changed'],
    hears: [],
    counters: 'makes',
    streamCalls: ['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.INFO'],
    consumerCalls: ['CONSUMER.CREATE', 'CONSUMER.INFO'],
    acknowledges: false,
  },
  facade: {
    jobs: [],
    tells: [],
    hears: ['keys_changed', 'results_changed'],
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
export const streamName = (namespace: string, lane: Lane): string => `${namespace}_${lane}`;

export const counterStreamName = (namespace: string): string => `${namespace}_counters`;

/** Prefix of reply subjects; users of other components may not subscribe to it. */
export const inboxPrefix = (component: Component): string => `_INBOX.${component}`;

/** Subjects that a component may publish and subscribe to; all others are refused. */
interface UserPermissions {
  publish: string[];
  subscribe: string[];
}

/** @param namespace `*` for all namespaces of a server; components are then separated, namespaces are not */
const userPermissions = (component: Component, namespace: string): UserPermissions => {
  const { jobs, tells, hears, counters, streamCalls, consumerCalls, acknowledges } = TRAFFIC[component];
  // NATS wildcards match a whole token, so `*` covers all streams.
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
};

export const permissionsText = (component: Component, namespace: string): string => {
  const { publish, subscribe } = userPermissions(component, namespace);
  const list = (subjects: string[]): string =>
    `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;
  return `{ publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} } }`;
};
