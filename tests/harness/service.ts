import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreOverHttp } from '@evaluation/core-client';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { startStandalone } from '@evaluation/standalone';
import {
  cloneDatabase,
  newBucket,
  newLanes,
  startModelServer,
  type ClonedDatabase,
  type ModelServer,
} from '@evaluation/test-services';
import { apiClient, type ApiClient } from './api.ts';

/** The whole service for one test file, on a database, a bucket and lanes of its own. */
export interface TestService {
  baseUrl: string;
  /** A client with a key that has every scope, of an institute with many credits. */
  api: ApiClient;
  /** Provisioning calls, as the CLI makes them: `control.as({}).control`. */
  control: ReturnType<typeof coreOverHttp>;
  /** Calls of a worker to core: `grading.as({}).grading`. */
  grading: ReturnType<typeof coreOverHttp>;
  newInstitute(options?: {
    credits?: number;
    dailyCopyQuota?: number;
    scopes?: Scopes;
    apiEnabled?: boolean;
  }): Promise<{
    instituteId: string;
    keyId: string;
    api: ApiClient;
  }>;
  database: ClonedDatabase;
  /** Environment with which a separate process is this service again (see the resilience tests). */
  environment: Record<string, string>;
  close(): Promise<void>;
}

export type Scopes = ('evaluation:read' | 'evaluation:write' | 'evaluation:review' | 'evaluation:finalize')[];
export const EVERY_SCOPE: Scopes = [
  'evaluation:read',
  'evaluation:write',
  'evaluation:review',
  'evaluation:finalize',
];

const GENEROUS =
  'key:reads:minute=1000000,institute:reads:second=1000000,key:writes:minute=1000000,key:upload_files:minute=1000000';

/** An environment with backing services that no other test uses; call `drop` at the end. */
export const newEnvironment = async (
  extra: Record<string, string> = {},
): Promise<{ environment: Record<string, string>; database: ClonedDatabase; drop(): Promise<void> }> => {
  const database = await cloneDatabase();
  const bucket = await newBucket();
  const lanes = newLanes();
  const dataDir = await mkdtemp(join(tmpdir(), 'evaluation-service-'));
  return {
    database,
    environment: {
      DATA_DIR: dataDir,
      PORT: '0',
      CORE_PORT: '0',
      DESK_PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      NATS_URL: lanes.url,
      // Each part connects as its own NATS user, unless the test sets another server.
      ...(extra['NATS_URL'] === undefined
        ? {
            CORE_NATS_URL: lanes.urls.core,
            FACADE_NATS_URL: lanes.urls.facade,
            WORKER_NATS_URL: lanes.urls.worker,
          }
        : {}),
      LANE_NAMESPACE: lanes.namespace,
      S3_ENDPOINT: bucket.endpoint,
      S3_ACCESS_KEY_ID: bucket.accessKeyId,
      S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
      S3_BUCKET: bucket.bucket,
      VALIDATE_RESPONSES: 'true',
      KEY_CACHE_SECONDS: '0',
      DRAIN_SECONDS: '0',
      // The preflight makes a few calls of each lane at each start; only its own tests turn it on.
      MODEL_PREFLIGHT: 'off',
      // Tests send hundreds of reads a second. Requests are counted, under high limits.
      RATE_LIMITS_STANDARD: GENEROUS,
      RATE_LIMITS_HIGH: GENEROUS,
      UNKNOWN_KEYS_PER_ADDRESS: '1000000',
      UNKNOWN_KEYS_IN_ALL: '1000000',
      ...extra,
    },
    drop: async () => {
      await rm(dataDir, { recursive: true, force: true });
      await database.drop();
    },
  };
};

export const startService = async (extra: Record<string, string> = {}): Promise<TestService> => {
  const { environment, database, drop } = await newEnvironment(extra);
  const service = await startStandalone(readStandaloneSettings(environment));
  const control = coreOverHttp({ url: service.coreUrl, token: service.installation.tokens.control });
  const grading = coreOverHttp({ url: service.coreUrl, token: service.installation.tokens.grading });
  const newInstitute: TestService['newInstitute'] = async (options = {}) => {
    const provision = control.as({}).control;
    const { institute_id } = await provision.createInstitute.mutate({
      name: 'Another Institute',
      credits: options.credits ?? 1000,
      ...(options.dailyCopyQuota === undefined ? {} : { daily_copy_quota: options.dailyCopyQuota }),
      ...(options.apiEnabled === undefined ? {} : { api_enabled: options.apiEnabled }),
    });
    const { api_key, key_id } = await provision.createKey.mutate({
      institute_id,
      scopes: options.scopes ?? EVERY_SCOPE,
    });
    return { instituteId: institute_id, keyId: key_id, api: apiClient(service.baseUrl, api_key) };
  };
  return {
    baseUrl: service.baseUrl,
    api: apiClient(service.baseUrl, service.installation.first_key?.api_key ?? ''),
    control,
    grading,
    newInstitute,
    database,
    environment,
    close: async () => {
      await control.close();
      await grading.close();
      await service.close();
      await drop();
    },
  };
};

/** A service that grades with a model server of its own. `service.close` closes both. */
export const startWithModel = async (
  extra: Record<string, string> = {},
): Promise<{ model: ModelServer; service: TestService }> => {
  const model = await startModelServer();
  const service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-not-a-real-key',
    GRADER_MODEL: 'm',
    ...extra,
  });
  return {
    model,
    service: {
      ...service,
      close: async () => {
        await service.close();
        await model.close();
      },
    },
  };
};
