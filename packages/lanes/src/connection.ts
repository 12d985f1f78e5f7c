import { createBackoff, jittered } from '@evaluation/platform/backoff';
import { inboxPrefix } from '@evaluation/jobs-contract';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { setTimeout as wait } from 'node:timers/promises';
import type { LaneProgress, OpenLanesOptions } from './lanes.ts';

/*
 * State: the one NATS connection of this process, and whether it is up.
 * Changed by: the loop in `keepConnected` only. It retries the first connection without limit, because the library
 * gives up there; reconnecting is left to the library.
 * On a crash: the server drops the connection.
 */

/** The lanes cannot be reached or do not answer. The caller's work stays in PostgreSQL and is released again. */
export class LaneUnavailable extends Error {
  override readonly name = 'LaneUnavailable';
}

/** Time that an operation waits for the connection. Short, because the dispatcher retries each second. */
const CONNECTION_WAIT_MS = 1_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
/** A peer that vanished without closing is detected after two unanswered pings. */
const PING_INTERVAL_MS = 10_000;
/** Longest wait for the server when the connection is drained; the server may be dead. */
const DRAIN_LIMIT_MS = 2_000;

export interface Connection {
  /**
   * The open connection.
   *
   * @throws LaneUnavailable when the connection is down for longer than CONNECTION_WAIT_MS
   */
  ready(): Promise<NatsConnection>;
  /** Calls `listener` with this connection and with each later one. */
  onOpen(listener: (nats: NatsConnection) => void): void;
  close(): Promise<void>;
}

/** Starts to connect in the background and returns at once. */
export const keepConnected = (options: OpenLanesOptions): Connection => {
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
        // `close` was called during the attempt.
        if (closing.signal.aborted) return await open.close();
        nats = open;
        backoff.reset();
        reported = '';
        for (const listener of openListeners) listener(open);
        setUp(true);
        progress('lanes.connected', { server: open.getServer() });
        void follow(open);
        // `closed` resolves on our close, or on an unexpected end after which the loop connects again.
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
};

const connectionOptions = ({ url, name }: OpenLanesOptions): ConnectionOptions => {
  const servers = url
    .split(',')
    .map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`));
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
    // Otherwise each request records two stack traces in advance, for an error that seldom comes.
    noAsyncTraces: true,
  };
};
