import { resolve } from 'node:path';
import * as z from 'zod/v4';
import { lanesShape } from './lanes.ts';
import { monitorOf, monitorShape } from './monitor.ts';
import { logLevel, port, read } from './read.ts';

export const StandaloneEnvironment = z.object({
  ...monitorShape,
  LOG_LEVEL: logLevel.default('warn'),
  /** Folder of the embedded services' data and of the service's first API key. */
  DATA_DIR: z.string().default('.data'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  CORE_HOST: z.string().default('127.0.0.1'),
  CORE_PORT: port.default(8081),
  DESK_HOST: z.string().default('127.0.0.1'),
  DESK_PORT: port.default(8082),
  DATABASE_URL: z.string().optional(),
  NATS_URL: z.string().optional(),
  /** NATS addresses with one user per component; see contracts/jobs/src/permissions.ts. */
  CORE_NATS_URL: z.string().optional(),
  FACADE_NATS_URL: z.string().optional(),
  WORKER_NATS_URL: z.string().optional(),
  LANE_NAMESPACE: lanesShape.LANE_NAMESPACE,
  /** Path of a nats-server, if none is on PATH. */
  NATS_SERVER_BIN: z.string().optional(),
  S3_ENDPOINT: z.url().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
});

/** Settings of `npm start`. Services without an address are embedded; `environment` is passed on to the apps. */
export const readStandaloneSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(StandaloneEnvironment, env);
  return {
    logLevel: e.LOG_LEVEL,
    monitor: monitorOf(e),
    dataDir: resolve(e.DATA_DIR),
    host: e.HOST,
    port: e.PORT,
    coreHost: e.CORE_HOST,
    corePort: e.CORE_PORT,
    deskHost: e.DESK_HOST,
    deskPort: e.DESK_PORT,
    databaseUrl: e.DATABASE_URL,
    natsUrls:
      e.NATS_URL === undefined
        ? undefined
        : {
            core: e.CORE_NATS_URL ?? e.NATS_URL,
            facade: e.FACADE_NATS_URL ?? e.NATS_URL,
            worker: e.WORKER_NATS_URL ?? e.NATS_URL,
          },
    laneNamespace: e.LANE_NAMESPACE,
    natsServerBinary: e.NATS_SERVER_BIN,
    s3:
      e.S3_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: e.S3_ENDPOINT,
            accessKeyId: e.S3_ACCESS_KEY_ID ?? '',
            secretAccessKey: e.S3_SECRET_ACCESS_KEY ?? '',
          },
    environment: env,
  };
};
export type StandaloneSettings = ReturnType<typeof readStandaloneSettings>;
