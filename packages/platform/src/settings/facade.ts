import * as z from 'zod/v4';
import { lanesOf, lanesShape } from './lanes.ts';
import { rateLimits, type RateLimit } from './rateLimits.ts';
import { lingerShape, monitorOf, monitorShape } from './monitor.ts';
import { flag, inUse, integer, logLevel, port, read } from './read.ts';

const STANDARD: readonly RateLimit[] = [
  { of: 'key', kind: 'reads', seconds: 60, limit: 600 },
  { of: 'institute', kind: 'reads', seconds: 1, limit: 40 },
  { of: 'key', kind: 'writes', seconds: 60, limit: 120 },
];

export const FacadeEnvironment = z.object({
  ...monitorShape,
  ...lingerShape,
  LOG_LEVEL: logLevel,
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  CORE_URL: z.url(),
  CORE_PUBLIC_TOKEN: inUse,
  ACTOR_SIGNING_KEY: inUse,
  /** For rate limits, which the facade's replicas count together on NATS. Without NATS each replica counts alone. */
  ...lanesShape,
  /**
   * Bytes of the largest request body: 200 questions with text and model answer of 20,000 characters each, at up to 4
   * bytes per character, with options, rubrics, and 2000 candidates with 2 KB of metadata.
   */
  BODY_LIMIT_BYTES: integer(1024, 512 * 1024 * 1024).default(96 * 1024 * 1024),
  /** Seconds for which API keys are cached: the longest delay of a revocation whose broadcast was lost. */
  KEY_CACHE_SECONDS: integer(0, 30).default(30),
  /**
   * Number of proxies, such as an ingress, in front of the facade that append the client's address to
   * `X-Forwarded-For`. 0: the client's address is that of the connection, and the header is ignored.
   */
  TRUSTED_PROXIES: integer(0, 10).default(0),
  /**
   * Requests per minute with unknown API keys, from one client address and from all. Each such request reads the
   * database, and guessed keys cause such requests. Requests with known keys do not count.
   */
  UNKNOWN_KEYS_PER_ADDRESS: integer(1, 1_000_000).default(60),
  UNKNOWN_KEYS_IN_ALL: integer(1, 1_000_000).default(1200),
  /** Default: the limits in docs/api/limits.md#rate-limits, which gives none for the high tier. */
  RATE_LIMITS_STANDARD: rateLimits.default(STANDARD),
  RATE_LIMITS_HIGH: rateLimits.default([]),
  /** Validates every response against the contract before it is sent. For tests and staging: it costs CPU. */
  VALIDATE_RESPONSES: flag.default(false),
});

export const readFacadeSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(FacadeEnvironment, env);
  return {
    logLevel: e.LOG_LEVEL,
    monitor: monitorOf(e),
    lingerSeconds: e.LINGER_SECONDS,
    listen: { host: e.HOST, port: e.PORT },
    core: { url: e.CORE_URL, token: e.CORE_PUBLIC_TOKEN, actorSigningKey: e.ACTOR_SIGNING_KEY },
    bodyLimitBytes: e.BODY_LIMIT_BYTES,
    keyCacheSeconds: e.KEY_CACHE_SECONDS,
    trustedProxies: e.TRUSTED_PROXIES,
    unknownKeysPerMinute: { address: e.UNKNOWN_KEYS_PER_ADDRESS, all: e.UNKNOWN_KEYS_IN_ALL },
    lanes: lanesOf(e),
    rateLimits: { standard: e.RATE_LIMITS_STANDARD, high: e.RATE_LIMITS_HIGH },
    validateResponses: e.VALIDATE_RESPONSES,
  };
};
export type FacadeSettings = ReturnType<typeof readFacadeSettings>;
