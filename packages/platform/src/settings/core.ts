import * as z from 'zod/v4';
import { deadlinesOf, deadlinesShape, lanesOf, lanesShape, windowsOf, windowsShape } from './lanes.ts';
import { lingerShape, monitorOf, monitorShape } from './monitor.ts';
import { flag, integer, logLevel, port, read, rotated } from './read.ts';
import { teams } from './teams.ts';

export const CoreEnvironment = z
  .object({
    ...monitorShape,
    ...lingerShape,
    LOG_LEVEL: logLevel,
    DATABASE_URL: z.string(),
    /** Connections of one core replica. Few are enough: its transactions are short and run on about two cores. */
    DATABASE_POOL: integer(2, 200).default(12),
    CORE_HOST: z.string().default('127.0.0.1'),
    CORE_PORT: port.default(8081),
    /** PEM files of core's certificate and key for HTTPS. Callers trust a private CA by NODE_EXTRA_CA_CERTS. */
    CORE_TLS_CERT_FILE: z.string().optional(),
    CORE_TLS_KEY_FILE: z.string().optional(),
    CORE_PUBLIC_TOKEN: rotated,
    CORE_GRADING_TOKEN: rotated,
    CORE_CONTROL_TOKEN: rotated,
    ACTOR_SIGNING_KEY: rotated,
    /**
     * Signing keys of internal teams, as a JSON list of
     * `{"name": "results", "keys": ["..."], "institutes": "all" or ["id"], "roles": ["admin", "examiner"]}`. A team has
     * two keys while one replaces the other (docs/internal-teams.md#a-key-for-each-team).
     */
    TEAM_SIGNING_KEYS: teams.optional(),
    ...lanesShape,
    S3_ENDPOINT: z.url(),
    /** Object store address for clients' uploads, if it differs from the address for core, workers and facade. */
    S3_PUBLIC_ENDPOINT: z.url().optional(),
    S3_REGION: z.string().default('us-east-1'),
    S3_BUCKET: z.string().default('answer-evaluation'),
    /** `false`: the bucket is part of the host name. */
    S3_FORCE_PATH_STYLE: flag.default(true),
    /** `true`: the credentials come from the identity of the pod or machine, and no keys are set. */
    S3_POD_IDENTITY: flag.default(false),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
    /** Fixed prefix of API keys (docs/api/me.md#authentication). */
    API_KEY_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,16}$/)
      .default('aek_'),
    /**
     * OpenID Connect provider with which staff signs in at the desk; its endpoints are read from its
     * `/.well-known/openid-configuration`. Unset: sign-in by password only.
     */
    OIDC_ISSUER: z.url().optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    /**
     * Tenants whose people may sign in, as a comma list of ids (UUIDs). Needed for an issuer that is shared by many
     * tenants, such as `https://login.microsoftonline.com/organizations/v2.0`.
     */
    OIDC_TENANTS: z
      .string()
      .transform((list) => list.split(',').map((one) => one.trim().toLowerCase()))
      .pipe(z.array(z.guid('a comma list of ids of tenants')))
      .optional(),
    /** `true`: staff signs in with the provider alone, so that its second factor cannot be passed by. */
    OIDC_ONLY: flag.default(false),
    /** Name of the provider on the button of the sign-in page. */
    OIDC_NAME: z.string().max(50).default('Single sign-on'),
    /** Address of the desk, with which `dashboard_url` of an exam begins. `npm start` sets it to that of its desk. */
    DASHBOARD_URL: z.url().default('http://127.0.0.1:8082'),
    /**
     * Seconds of a lease. The run of a killed worker is recovered after one lease and one tick: at 10 s, within 15 s.
     */
    LEASE_SECONDS: integer(1, 300).default(10),
    /**
     * Seconds until an unclaimed run's message is looked for in the lane, and published again if lost. Longer than a
     * publication, which takes 5 s at most, and than the difference between the clocks of PostgreSQL and NATS; if it is
     * shorter, some runs are published twice.
     */
    UNCLAIMED_SECONDS: integer(1, 3600).default(10),
    /** Milliseconds between two rounds of the dispatcher when nothing wakes it. */
    TICK_MS: integer(50, 60_000).default(1000),
    ...deadlinesShape,
    ...windowsShape,
    /** Seconds that the first GET of an upload waits for the inspection before it returns `pending`. */
    INSPECTION_WAIT_SECONDS: integer(0, 30).default(5),
    /** Minutes between two reconciliations of ledger, reservations and runs, which read all ledgers; 0: never. */
    RECONCILE_MINUTES: integer(0, 1440).default(60),
    /** Days that a file is kept after its upload if no submission takes it, or after the deletion of its submission. */
    FILE_RETENTION_DAYS: integer(1, 3650).default(30),
    /**
     * Days that evidence of a run is kept for replays; a year covers appeals until the next exam season. Cached
     * judgements are kept equally long. 0: no evidence is stored, so that no run can be replayed and no judgement
     * reused.
     */
    EVIDENCE_RETENTION_DAYS: integer(0, 3650).default(365),
    /**
     * Days that the readings of pages are kept in the database. A run needs them for a day at most; afterwards they are
     * part of an export of the candidate only.
     */
    READING_RETENTION_DAYS: integer(2, 3650).default(365),
    /** Most seconds between two rounds of deleting files, of deleting evidence and of erasing candidates. */
    FILE_ROUND_SECONDS: integer(1, 86_400).default(60),
  })
  .refine((e) => (e.CORE_TLS_CERT_FILE === undefined) === (e.CORE_TLS_KEY_FILE === undefined), {
    path: ['CORE_TLS_KEY_FILE'],
    message: 'set both the certificate and its key, or neither',
  })
  .check(({ value: e, issues }) => {
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const) {
      if ((e[name] === undefined) === (e.OIDC_ISSUER === undefined)) continue;
      const message = 'set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none of them';
      issues.push({ code: 'custom', input: undefined, path: [name], message });
    }
    if (e.OIDC_TENANTS !== undefined && e.OIDC_ISSUER === undefined) {
      const message = 'set it with OIDC_ISSUER, or not at all';
      issues.push({ code: 'custom', input: undefined, path: ['OIDC_TENANTS'], message });
    }
    if (e.OIDC_ONLY && e.OIDC_ISSUER === undefined) {
      const message = 'set it with OIDC_ISSUER, or not at all';
      issues.push({ code: 'custom', input: undefined, path: ['OIDC_ONLY'], message });
    }
    const named = e.TEAM_SIGNING_KEYS ?? [];
    const keys = [...e.ACTOR_SIGNING_KEY, ...named.flatMap((team) => team.keys)];
    for (const [what, all] of [
      ['name', named.map(({ name }) => name)],
      ['key', keys],
    ] as const) {
      if (new Set(all).size === all.length) continue;
      const message = `each team needs a ${what} of its own`;
      issues.push({ code: 'custom', input: undefined, path: ['TEAM_SIGNING_KEYS'], message });
    }
    for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const) {
      const isSet = e[name] !== undefined;
      if (isSet !== e.S3_POD_IDENTITY) continue;
      const message = isSet ? 'remove it, or set S3_POD_IDENTITY=false' : 'is missing';
      issues.push({ code: 'custom', input: undefined, path: [name], message });
    }
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
    teams: e.TEAM_SIGNING_KEYS ?? [],
    lanes: lanesOf(e),
    objects: {
      endpoint: e.S3_ENDPOINT,
      ...(e.S3_PUBLIC_ENDPOINT === undefined ? {} : { publicEndpoint: e.S3_PUBLIC_ENDPOINT }),
      region: e.S3_REGION,
      bucket: e.S3_BUCKET,
      forcePathStyle: e.S3_FORCE_PATH_STYLE,
      ...(e.S3_ACCESS_KEY_ID === undefined || e.S3_SECRET_ACCESS_KEY === undefined
        ? {}
        : { accessKeyId: e.S3_ACCESS_KEY_ID, secretAccessKey: e.S3_SECRET_ACCESS_KEY }),
    },
    apiKeyPrefix: e.API_KEY_PREFIX,
    oidc:
      e.OIDC_ISSUER === undefined || e.OIDC_CLIENT_ID === undefined || e.OIDC_CLIENT_SECRET === undefined
        ? null
        : {
            issuer: e.OIDC_ISSUER,
            clientId: e.OIDC_CLIENT_ID,
            clientSecret: e.OIDC_CLIENT_SECRET,
            tenants: e.OIDC_TENANTS ?? [],
            name: e.OIDC_NAME,
            isOnlyWay: e.OIDC_ONLY,
          },
    dashboardUrl: e.DASHBOARD_URL.replace(/\/+$/, ''),
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
    readings: { retentionDays: e.READING_RETENTION_DAYS },
  };
};
export type CoreSettings = ReturnType<typeof readCoreSettings>;
