import * as z from 'zod/v4';
import { deadlinesOf, deadlinesShape, lanesShape, windowsOf, windowsShape } from './lanes.ts';
import { lingerShape, monitorOf, monitorShape } from './monitor.ts';
import { integer, logLevel, port, read, rotated } from './read.ts';

export const CoreEnvironment = z
  .object({
    ...monitorShape,
    ...lingerShape,
    LOG_LEVEL: logLevel,
    DATABASE_URL: z.string(),
    /** A core replica needs few connections: its work is short transactions on two cores or so. */
    DATABASE_POOL: integer(2, 200).default(12),
    CORE_HOST: z.string().default('127.0.0.1'),
    CORE_PORT: port.default(8081),
    /** PEM files of core's certificate and key: with them it serves HTTPS only. Callers trust it by NODE_EXTRA_CA_CERTS. */
    CORE_TLS_CERT_FILE: z.string().optional(),
    CORE_TLS_KEY_FILE: z.string().optional(),
    CORE_PUBLIC_TOKEN: rotated,
    CORE_GRADING_TOKEN: rotated,
    CORE_CONTROL_TOKEN: rotated,
    ACTOR_SIGNING_KEY: rotated,
    ...lanesShape,
    S3_ENDPOINT: z.url(),
    /** The address that clients upload to, where it differs from the one for core, workers and facade. */
    S3_PUBLIC_ENDPOINT: z.url().optional(),
    S3_REGION: z.string().default('us-east-1'),
    S3_BUCKET: z.string().default('answer-evaluation'),
    S3_ACCESS_KEY_ID: z.string(),
    S3_SECRET_ACCESS_KEY: z.string(),
    /** The fixed prefix of keys (docs/api/me.md#authentication). */
    API_KEY_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,16}$/)
      .default('aek_'),
    DASHBOARD_URL: z.url().default('http://127.0.0.1:8080/dashboard'),
    /** Recovery of a killed worker takes one lease and one tick: 10 s keeps it below 15 s. */
    LEASE_SECONDS: integer(1, 300).default(10),
    /** How long a released run may wait unclaimed before it is asked whether its message is lost, and published again. */
    UNCLAIMED_SECONDS: integer(1, 3600).default(30),
    /** A dispatcher tick when nothing wakes it. */
    TICK_MS: integer(50, 60_000).default(1000),
    ...deadlinesShape,
    ...windowsShape,
    /** How long the first read of an upload waits for its inspection before it answers `pending`. */
    INSPECTION_WAIT_SECONDS: integer(0, 30).default(5),
    /** How often ledger, reservations and runs are compared; 0: never. A round reads every institute's ledger, so not each minute. */
    RECONCILE_MINUTES: integer(0, 1440).default(60),
    /** How long a file stays that no submission took, or whose submission was deleted: time to notice and to ask. */
    FILE_RETENTION_DAYS: integer(1, 3650).default(30),
    /**
     * How long each run's evidence is kept, for a mark to be replayed: a year covers appeals until the next sitting. Also how
     * long the same answer is not judged anew. 0: nothing is stored, so nothing can be replayed or used again.
     */
    EVIDENCE_RETENTION_DAYS: integer(0, 3650).default(365),
    /** Between two rounds of removing files; nobody waits for them, and a minute spreads the work of a busy day. */
    FILE_ROUND_SECONDS: integer(1, 86_400).default(60),
  })
  .refine((e) => (e.CORE_TLS_CERT_FILE === undefined) === (e.CORE_TLS_KEY_FILE === undefined), {
    path: ['CORE_TLS_KEY_FILE'],
    message: 'a certificate needs its key, and a key its certificate',
  });

export const readCoreSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(CoreEnvironment, env);
  return {
    logLevel: e.LOG_LEVEL,
    monitor: monitorOf(e),
    lingerSeconds: e.LINGER_SECONDS,
    database: { url: e.DATABASE_URL, poolSize: e.DATABASE_POOL },
    listen: { host: e.CORE_HOST, port: e.CORE_PORT },
    tls:
      e.CORE_TLS_CERT_FILE === undefined || e.CORE_TLS_KEY_FILE === undefined
        ? null
        : { certFile: e.CORE_TLS_CERT_FILE, keyFile: e.CORE_TLS_KEY_FILE },
    tokens: { public: e.CORE_PUBLIC_TOKEN, grading: e.CORE_GRADING_TOKEN, control: e.CORE_CONTROL_TOKEN },
    actorSigningKeys: e.ACTOR_SIGNING_KEY,
    lanes: { url: e.NATS_URL, namespace: e.LANE_NAMESPACE },
    objects: {
      endpoint: e.S3_ENDPOINT,
      ...(e.S3_PUBLIC_ENDPOINT === undefined ? {} : { publicEndpoint: e.S3_PUBLIC_ENDPOINT }),
      region: e.S3_REGION,
      bucket: e.S3_BUCKET,
      accessKeyId: e.S3_ACCESS_KEY_ID,
      secretAccessKey: e.S3_SECRET_ACCESS_KEY,
    },
    apiKeyPrefix: e.API_KEY_PREFIX,
    dashboardUrl: e.DASHBOARD_URL,
    runs: {
      leaseSeconds: e.LEASE_SECONDS,
      unclaimedSeconds: e.UNCLAIMED_SECONDS,
      tickMs: e.TICK_MS,
      deadlineSeconds: deadlinesOf(e),
      windows: windowsOf(e),
    },
    inspectionWaitSeconds: e.INSPECTION_WAIT_SECONDS,
    reconcileMinutes: e.RECONCILE_MINUTES,
    files: { retentionDays: e.FILE_RETENTION_DAYS, roundSeconds: e.FILE_ROUND_SECONDS },
    evidence: { retentionDays: e.EVIDENCE_RETENTION_DAYS },
  };
};
export type CoreSettings = ReturnType<typeof readCoreSettings>;
