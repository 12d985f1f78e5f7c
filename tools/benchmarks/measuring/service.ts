/** The service on a database of its own: facade and core as processes, or `npm start` in one process. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { coreOverHttp } from '@evaluation/core-client';
import { findInstallation } from '@evaluation/platform/installation';
import { apiClient, type ApiClient } from '../../../tests/harness/api.ts';
import { killPrograms, startProgram, type Program } from '../../../tests/harness/processes.ts';
import type { Parts } from './processCpu.ts';
import type { BenchDatabase, Servers } from './servers.ts';

export interface BenchService {
  api: ApiClient;
  database: BenchDatabase;
  /** Pids by part, PostgreSQL included. */
  parts: Parts;
  /** Starts a worker whose model answers at once. Its CPU time counts as part `worker` from then on. */
  startWorker(settings?: Record<string, string>): Promise<Program>;
  close(): Promise<void>;
}

const NO_LIMIT =
  'key:reads:minute=100000000,institute:reads:second=100000000,key:writes:minute=100000000,key:upload_files:minute=100000000';
const CREDITS = 100_000_000;

const secret = (): string => randomBytes(16).toString('hex');

const environmentOf = (servers: Servers, database: BenchDatabase): Record<string, string> => ({
  LOG_LEVEL: 'warn',
  DATABASE_URL: database.url,
  NATS_URL: servers.natsUrl,
  LANE_NAMESPACE: database.name.replaceAll('_', ''),
  S3_ENDPOINT: servers.s3.endpoint,
  S3_ACCESS_KEY_ID: servers.s3.accessKeyId,
  S3_SECRET_ACCESS_KEY: servers.s3.secretAccessKey,
  S3_BUCKET: database.name.replaceAll('_', '-'),
  PORT: '0',
  CORE_PORT: '0',
  DESK_PORT: '0',
  // Requests are counted, but no round reaches the limits.
  RATE_LIMITS_STANDARD: NO_LIMIT,
  RATE_LIMITS_HIGH: NO_LIMIT,
  GRADER: 'openai',
  OPENAI_BASE_URL: servers.model.baseUrl,
  OPENAI_API_KEY: 'not-a-key',
  GRADER_MODEL: 'm',
  MODEL_PREFLIGHT: 'off',
  DRAIN_SECONDS: '0',
  LINGER_SECONDS: '0',
});

/** An institute whose credits and quota no round uses up. @returns its API key */
const provision = async (coreUrl: string, token: string): Promise<string> => {
  const core = coreOverHttp({ url: coreUrl, token });
  try {
    const { control } = core.as({});
    const { institute_id } = await control.createInstitute.mutate({
      name: 'Bench',
      credits: CREDITS,
      daily_copy_quota: 1_000_000,
    });
    return (await control.createKey.mutate({ institute_id })).api_key;
  } finally {
    await core.close();
  }
};

export const startFacadeAndCore = async (servers: Servers): Promise<BenchService> => {
  const database = await servers.newDatabase('service');
  const programs: Program[] = [];
  const close = async (): Promise<void> => {
    // Includes programs that a row has already killed.
    await killPrograms((pid) => programs.some((program) => program.pid === pid));
    await database.drop();
  };
  try {
    const controlToken = secret();
    const environment = {
      ...environmentOf(servers, database),
      CORE_PUBLIC_TOKEN: secret(),
      CORE_GRADING_TOKEN: secret(),
      CORE_CONTROL_TOKEN: controlToken,
      ACTOR_SIGNING_KEY: secret(),
      TMPDIR: await mkdtemp(join(servers.folder, 'worker-')),
    };
    const core = await startProgram('core', environment);
    programs.push(core);
    const facade = await startProgram('facade', { ...environment, CORE_URL: core.name });
    programs.push(facade);
    const parts: Record<string, number> = {
      facade: facade.pid,
      core: core.pid,
      PostgreSQL: servers.postgresPid,
    };
    return {
      api: apiClient(facade.name, await provision(core.name, controlToken)),
      database,
      parts,
      startWorker: async (settings = {}) => {
        const worker = await startProgram('worker', { ...environment, ...settings, CORE_URL: core.name });
        programs.push(worker);
        parts['worker'] = worker.pid;
        return worker;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** `npm start` without workers: facade and core in one process, which call each other by function call. */
export const startInOneProcess = async (servers: Servers): Promise<Omit<BenchService, 'startWorker'>> => {
  const database = await servers.newDatabase('service');
  const dataDir = await mkdtemp(join(servers.folder, 'standalone-'));
  const program = await startProgram('standalone', {
    ...environmentOf(servers, database),
    DATA_DIR: dataDir,
    COPY_CONCURRENCY: '0',
    TYPED_CONCURRENCY: '0',
    DRAW_CONCURRENCY: '0',
    INSPECT_CONCURRENCY: '0',
  }).catch(async (error: unknown) => {
    await database.drop();
    throw error;
  });
  const close = async (): Promise<void> => {
    await program.kill();
    await database.drop();
  };
  try {
    const installation = await findInstallation(dataDir);
    if (installation?.core_url == null) throw new Error('npm start wrote no address of core');
    const apiKey = await provision(installation.core_url, installation.tokens.control);
    return {
      api: apiClient(program.name, apiKey),
      database,
      parts: { 'facade + core': program.pid, PostgreSQL: servers.postgresPid },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
