import { chart, helm, type Values } from '../../tests/chart/helm.ts';
import type { Servers } from '../chaos/site/servers.ts';
import type { KubeApi } from './servers/kubeApi.ts';

/** The release `ae` in the namespace `exams`, installed as docs/operate/install.md says. */

export const NAMESPACE = 'exams';
export const RELEASE = 'ae';
export const NAME = 'ae-answer-evaluation';
const CORE_ROLE = 'evaluation_core';
const PASSWORD = 'core-password';
const KEDA_POLLING_SECONDS = 5;
const NO_LIMIT =
  'key:reads:minute=100000000,institute:reads:second=100000000,key:writes:minute=100000000,key:upload_files:minute=100000000';

/** Creates the namespace, which admits restricted pods only, core's database role, and the Secrets. */
export const prepareNamespace = async (api: KubeApi, servers: Servers): Promise<void> => {
  await api.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  await servers.observer.query(`create role ${CORE_ROLE} login password '${PASSWORD}'`);
  const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '', DATABASE_URL = '' } = servers.environment;
  const core = new URL(DATABASE_URL);
  core.username = CORE_ROLE;
  core.password = PASSWORD;
  const secrets: Record<string, Record<string, string>> = {
    'ae-owner-database': { DATABASE_URL },
    'ae-core-database': { DATABASE_URL: core.href },
    'ae-nats': {
      CORE_URL: servers.natsUrlOf('core'),
      FACADE_URL: servers.natsUrlOf('facade'),
      WORKER_URL: servers.natsUrlOf('worker'),
    },
    'ae-s3': { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
    'ae-model': { OPENAI_API_KEY: 'not-a-key' },
  };
  for (const [name, stringData] of Object.entries(secrets))
    await api.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData,
    });
};

/** @param prometheus address from which KEDA reads; null: autoscalers of the cluster read */
export const valuesFor = (servers: Servers, prometheus: string | null): Values => {
  const lane = { replicas: 1, autoscaling: { minReplicas: 1, maxReplicas: 3, queuedPerReplica: 2 } };
  return {
    image: { registry: 'registry.example.org/exams' },
    secrets: { generate: true },
    database: { existingSecret: 'ae-core-database', migrate: { existingSecret: 'ae-owner-database' } },
    migrations: { coreDatabaseRole: CORE_ROLE },
    nats: {
      existingSecret: 'ae-nats',
      existingSecretKeys: { core: 'CORE_URL', facade: 'FACADE_URL', worker: 'WORKER_URL' },
    },
    s3: { endpoint: servers.environment['S3_ENDPOINT'], bucket: 'chaos', existingSecret: 'ae-s3' },
    grader: {
      provider: 'openai',
      baseUrl: servers.environment['OPENAI_BASE_URL'],
      model: 'a-model',
      existingSecret: 'ae-model',
    },
    facade: { settings: { RATE_LIMITS_STANDARD: NO_LIMIT } },
    worker: {
      settings: { MODEL_PREFLIGHT: 'off' },
      lanes: { copy: lane, typed: { ...lane, concurrency: 2 } },
      autoscaling:
        prometheus === null
          ? { kind: 'hpa' }
          : { kind: 'keda', keda: { serverAddress: prometheus, pollingInterval: KEDA_POLLING_SECONDS } },
    },
  };
};

/** Runs helm on the release. @throws Error with helm's message */
export const runHelm = async (args: string[], kubeconfig: string, values?: Values): Promise<string> => {
  const all = [...args, '--namespace', NAMESPACE, ...(values === undefined ? [] : ['--values', '-'])];
  const input = values === undefined ? '' : JSON.stringify(values);
  const { code, stdout, stderr } = await helm(all, input, kubeconfig);
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}\n${stdout}`);
  return stdout;
};

const WAIT = ['--wait', '--timeout', '5m'];
export const install = (kubeconfig: string, values: Values): Promise<string> =>
  runHelm(['install', RELEASE, chart, ...WAIT], kubeconfig, values);
export const upgrade = (kubeconfig: string, values: Values, wait = WAIT): Promise<string> =>
  runHelm(['upgrade', RELEASE, chart, ...wait], kubeconfig, values);
export const rollBack = (kubeconfig: string, revision: number): Promise<string> =>
  runHelm(['rollback', RELEASE, String(revision), ...WAIT], kubeconfig);
