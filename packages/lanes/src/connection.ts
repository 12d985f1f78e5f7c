import { createBackoff, jittered } from '@evaluation/backoff';
import { inboxPrefix } from '@evaluation/jobs-contract';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { setTimeout as wait } from 'node:timers/promises';
import type { LaneProgress, OpenLanesOptions } from './lanes.ts';

/*
 * State: the one NATS connection of this process and whether it is up now.
 * Changed by: the loop below only. It tries for ever to connect for the first time (the library gives up there), and
 * leaves reconnecting, which the library does well, to it.
 * When this process dies: nothing to clean; the server drops the connection.
 */

/** The lanes cannot be reached now, or do not answer. The caller's work stays in PostgreSQL and is released again. */
export class LaneUnavailable extends Error {
  override readonly name = 'LaneUnavailable';
}

/** How long an operation waits for a connection that is just coming up. Short: the dispatcher ticks each second anyway. */
const CONNECTION_WAIT_MS = 1_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
/** A peer that vanished without closing is noticed after three missed pings. */
const PING_INTERVAL_MS = 10_000;
/** Draining waits for the server; a server that is gone must not hold up our stop. */
const DRAIN_LIMIT_MS = 2_000;

export interface Connection {
  /**
   * The connection, up.
   *
   * @throws LaneUnavailable it is not up and did not come up within a second
   */
  ready(): Promise<NatsConnection>;
  /** Call `listener` with this connection and with any that replaces it. */
  onOpen(listener: (nats: NatsConnection) => void): void;
  close(): Promise<void>;
}

/** Start connecting in the background; returns at once. */
export function keepConnected(options: OpenLanesOptions): Connection {
  const progress: LaneProgress = options.onProgress ?? (() => {});
  const closing = new AbortController();
  const openListeners: ((nats: NatsConnection) => void)[] = [];
  let nats: NatsConnection | undefined;
  let up = false;
  let waiters: (() => void)[] = [];

  function setUp(value: boolean): void {
    up = value;
    if (!up) return;
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  }

  async function follow(open: NatsConnection): Promise<void> {
    for await (const status of open.status()) {
      if (status.type === 'disconnect') {
        setUp(false);
        progress('lanes.disconnected', { server: status.server });
      } else if (status.type === 'reconnect') {
        setUp(true);
        progress('lanes.reconnected', { server: status.server });
      } else if (status.type === 'error') {
        progress('lanes.connection_error', { reason: status.error.message });
      }
    }
  }

  async function keep(): Promise<void> {
    const backoff = createBackoff({ firstMs: FIRST_RETRY_MS, lastMs: LAST_RETRY_MS });
    let reported = '';
    while (!closing.signal.aborted) {
      try {
        const open = await connect(connectionOptions(options));
        // An attempt that was under way when we were closed.
        if (closing.signal.aborted) return await open.close();
        nats = open;
        backoff.reset();
        reported = '';
        for (const listener of openListeners) listener(open);
        setUp(true);
        progress('lanes.connected', { server: open.getServer() });
        void follow(open);
        // Reconnecting is endless, so it closes only with us, or when something unforeseen ended it: then start over.
        await open.closed();
        setUp(false);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== reported) progress('lanes.unreachable', { reason });
        reported = reason;
        await backoff.pause(closing.signal).catch(() => {});
      }
    }
  }

  void keep();

  return {
    async ready() {
      if (!up && !closing.signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, CONNECTION_WAIT_MS);
          waiters.push(() => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
      if (closing.signal.aborted) throw new LaneUnavailable('the lanes are closed');
      if (!up || nats === undefined) throw new LaneUnavailable('there is no connection to NATS');
      return nats;
    },
    onOpen(listener) {
      openListeners.push(listener);
      if (nats !== undefined && !nats.isClosed()) listener(nats);
    },
    async close() {
      closing.abort();
      const open = nats;
      if (open !== undefined && !open.isClosed()) {
        if (up) {
          const limit = new AbortController();
          const drained = open.drain().catch(() => {});
          await Promise.race([
            drained,
            wait(DRAIN_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => {}),
          ]);
          limit.abort();
        }
        await open.close();
      }
      setUp(false);
      for (const wake of waiters) wake();
    },
  };
}

function connectionOptions({ url, name }: OpenLanesOptions): ConnectionOptions {
  const servers = url
    .split(',')
    .map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`));
  // The client does not read credentials from its server addresses.
  const login = servers.find((server) => server.username !== '');
  const secure = servers.some((server) => server.protocol === 'tls:');
  return {
    name,
    inboxPrefix: inboxPrefix(name),
    servers: servers.map((server) => server.host),
    ...(login !== undefined && login.password !== ''
      ? { user: decodeURIComponent(login.username), pass: decodeURIComponent(login.password) }
      : {}),
    ...(login !== undefined && login.password === '' ? { token: decodeURIComponent(login.username) } : {}),
    ...(secure ? { tls: {} } : {}),
    timeout: 5_000,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => jittered(LAST_RETRY_MS / 4),
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
  };
}
