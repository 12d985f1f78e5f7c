import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { coreOverHttp } from '@evaluation/core-client';
import { deploy } from '@evaluation/database';
import type { startPostgres, startS3 } from '@evaluation/embedded';
import { apiClient, type ApiClient } from '../../../tests/harness/api.ts';
import { startProgram } from '../../../tests/harness/processes.ts';

export interface Servers {
  postgres: Awaited<ReturnType<typeof startPostgres>>;
  natsUrl: string;
  s3: Awaited<ReturnType<typeof startS3>>;
}

/** Facade and core as processes, with a database, lanes and a bucket of their own. */
export interface Site {
  api: ApiClient;
  instituteId: string;
  superuserUrl: string;
  /** Sends a GET to a second facade and core, whose statements PostgreSQL explains in its log. @returns the status */
  explained(path: string): Promise<number>;
}

const SECRET_BYTES = 16;
const secret = (): string => randomBytes(SECRET_BYTES).toString('hex');
const UNLIMITED =
  'key:reads:minute=100000000,institute:reads:second=100000000,key:writes:minute=100000000,key:upload_files:minute=100000000';

const inDatabase = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

export const startSite = async (servers: Servers, name: string): Promise<Site> => {
  const { postgres, natsUrl, s3 } = servers;
  const owner = decodeURIComponent(new URL(postgres.url).username);
  const server = new pg.Client({ connectionString: postgres.superuserUrl });
  await server.connect();
  await server.query(`create database ${name} owner ${owner}`);
  await server.end();
  const superuserUrl = inDatabase(postgres.superuserUrl, name);
  await deploy(inDatabase(postgres.url, name));

  const tokens = { CORE_PUBLIC_TOKEN: secret(), CORE_GRADING_TOKEN: secret(), CORE_CONTROL_TOKEN: secret() };
  const environment = {
    ...tokens,
    LOG_LEVEL: 'warn',
    ACTOR_SIGNING_KEY: secret(),
    DATABASE_URL: inDatabase(postgres.url, name),
    NATS_URL: natsUrl,
    LANE_NAMESPACE: name,
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: `growth-${name}`,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    PORT: '0',
    CORE_PORT: '0',
    DESK_PORT: '0',
    RATE_LIMITS_STANDARD: UNLIMITED,
    // The dispatcher would otherwise take part in each comparison.
    TICK_MS: '5000',
    RECONCILE_MINUTES: '0',
  };
  const start = async () => {
    const core = await startProgram('core', environment);
    const facade = await startProgram('facade', { ...environment, CORE_URL: core.name });
    return { core, facade };
  };
  const { core, facade } = await start();
  const control = coreOverHttp({ url: core.name, token: tokens.CORE_CONTROL_TOKEN });
  const { institute_id } = await control.as({}).control.createInstitute.mutate({
    name: 'Growth',
    credits: 1_000_000_000,
    daily_copy_quota: 1_000_000,
  });
  const { api_key } = await control.as({}).control.createKey.mutate({
    institute_id,
    scopes: ['evaluation:read', 'evaluation:write', 'evaluation:review', 'evaluation:finalize'],
  });
  await control.close();
  return {
    api: apiClient(facade.name, api_key),
    instituteId: institute_id,
    superuserUrl,
    explained: async (path) => {
      const tables = new pg.Client({ connectionString: superuserUrl });
      await tables.connect();
      await tables.query(`alter database ${name} set session_preload_libraries = 'auto_explain'`);
      await tables.query(`alter database ${name} set auto_explain.log_min_duration = '2ms'`);
      for (const option of ['log_analyze', 'log_buffers'])
        await tables.query(`alter database ${name} set auto_explain.${option} = on`);
      await tables.end();
      const second = await start();
      const api = apiClient(second.facade.name, api_key);
      for (let time = 0; time < 3; time += 1) await api.get(path);
      const { status } = await api.get(path);
      await second.facade.kill();
      await second.core.kill();
      return status;
    },
  };
};
