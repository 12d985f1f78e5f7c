import * as z from 'zod/v4';
import { lanesOf, lanesShape } from './lanes.ts';
import { lingerShape, monitorOf, monitorShape } from './monitor.ts';
import { inUse, integer, logLevel, port, read } from './read.ts';

const origins = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .pipe(z.array(z.url().transform((url) => new URL(url).origin)).max(10));

export const DeskEnvironment = z.object({
  ...monitorShape,
  ...lingerShape,
  LOG_LEVEL: logLevel,
  DESK_HOST: z.string().default('127.0.0.1'),
  DESK_PORT: port.default(8082),
  /**
   * Address of the desk in the browser. With `https` the session cookie is `Secure` and the browser uses HTTPS only.
   * Default: plain HTTP on the host and port that the browser names.
   */
  DESK_URL: z.url().optional(),
  CORE_URL: z.url(),
  CORE_PUBLIC_TOKEN: inUse,
  ACTOR_SIGNING_KEY: inUse,
  /** For events of core, which the desk passes on to browsers. Without NATS browsers ask for changes instead. */
  ...lanesShape,
  /**
   * Addresses of the object store as browsers reach it, separated by commas: the only other origins that the page may
   * load pictures from and upload files to.
   */
  DESK_STORE_ORIGINS: origins.default([]),
  /** Bytes of the largest call of a browser; an exam imported as JSON is the largest. */
  DESK_BODY_LIMIT_BYTES: integer(1024, 512 * 1024 * 1024).default(16 * 1024 * 1024),
  /**
   * Number of proxies, such as an ingress, in front of the desk that append the browser's address to
   * `X-Forwarded-For`; sign-in is throttled by that address. 0: the address is that of the connection.
   */
  DESK_TRUSTED_PROXIES: integer(0, 10).default(0),
});

export const readDeskSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(DeskEnvironment, env);
  return {
    logLevel: e.LOG_LEVEL,
    monitor: monitorOf(e),
    lingerSeconds: e.LINGER_SECONDS,
    listen: { host: e.DESK_HOST, port: e.DESK_PORT },
    url: e.DESK_URL === undefined ? null : new URL(e.DESK_URL),
    core: { url: e.CORE_URL, token: e.CORE_PUBLIC_TOKEN, actorSigningKey: e.ACTOR_SIGNING_KEY },
    lanes: lanesOf(e),
    storeOrigins: e.DESK_STORE_ORIGINS,
    bodyLimitBytes: e.DESK_BODY_LIMIT_BYTES,
    trustedProxies: e.DESK_TRUSTED_PROXIES,
  };
};
export type DeskSettings = ReturnType<typeof readDeskSettings>;
