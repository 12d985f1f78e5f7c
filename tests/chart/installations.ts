import type { Values } from './helm.ts';

const registry = { registry: 'registry.example.org/exams' };

/** Secrets are made by the operator, as production should be. */
export const external: Values = {
  image: registry,
  secrets: { existingSecret: 'own-tokens' },
  database: { existingSecret: 'own-database' },
  nats: { existingSecret: 'own-nats' },
  s3: { endpoint: 'https://s3.example.org', existingSecret: 'own-s3' },
};

export const literal: Values = {
  image: registry,
  secrets: {
    corePublicToken: 'public-token-of-16',
    coreGradingToken: 'grading-token-of-16',
    coreControlToken: 'control-token-of-16',
    actorSigningKey: 'signing-key-of-16-and-more',
  },
  database: { url: 'postgresql://core:secret@db.example.org:6432/evaluation' },
  nats: { url: 'tls://token@nats-0.example.org:4443,tls://nats-1.example.org:4443' },
  s3: {
    endpoint: 'https://s3.example.org',
    publicEndpoint: 'https://files.example.org:8443',
    accessKeyId: 'access',
    secretAccessKey: 'secret',
  },
};

/** A trial with embedded services. `allowUnkept` permits generated secrets without a cluster. */
export const embedded: Values = {
  image: registry,
  secrets: { generate: true, allowUnkept: true },
  embedded: { enabled: true },
};

export const model: Values = {
  grader: {
    provider: 'openai',
    baseUrl: 'http://vllm.models:8000/v1',
    model: 'a-model',
    existingSecret: 'own-model',
  },
};

const monitoring: Values = {
  runbookUrl: 'https://git.example.org/exams/docs/operate/runbook.md',
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  dashboard: { enabled: true, annotations: { folder: 'Exams' } },
};

const podExtras: Values = {
  labels: { team: 'exams', on: 'yes' },
  annotations: { 'example.org/note': 'true' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['exams'] }] }],
      },
    },
  },
  priorityClassName: 'high',
  extraEnvFrom: [{ configMapRef: { name: 'proxies' } }],
  extraVolumes: [{ name: 'more', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
};

const sidecar = (name: string): Values => ({
  name,
  image: 'registry.example.org/proxy:1.2',
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '1', memory: '64Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
  },
});

/** Installations to test: every switch on and off at least once, and switches that affect each other together. */
export const installations: Readonly<Record<string, Values>> = {
  'external services by existing secrets': external,
  'external services by literal values': literal,
  'embedded services': embedded,
  'embedded services, an S3 address for outside': {
    ...embedded,
    s3: { publicEndpoint: 'https://files.example.org' },
    migrations: { mode: 'job' },
  },
  'migrations as a job': { ...literal, migrations: { mode: 'job', ttlSecondsAfterFinished: 600 } },
  'migrations as a job with a role of their own': {
    ...external,
    database: { existingSecret: 'own-database', migrate: { existingSecret: 'own-owner' } },
    migrations: { mode: 'job', coreDatabaseRole: 'core' },
  },
  'migrations by the operator': { ...external, migrations: { mode: 'none' } },
  'core behind TLS': {
    ...external,
    core: { tlsSecretName: 'core-tls' },
    caBundle: { configMap: 'authorities' },
  },
  'migrations that core does not wait for': { ...external, migrations: { waitForSchema: false } },
  'a model': { ...external, ...model },
  'a model with a literal key': {
    ...literal,
    grader: { provider: 'openai', apiKey: 'sk-1' },
    worker: { lanes: { copy: { concurrency: 3 } } },
  },
  'KEDA, a lane of its own each': {
    ...external,
    worker: {
      autoscaling: {
        kind: 'keda',
        keda: {
          serverAddress: 'http://prometheus:9090',
          authenticationRef: 'prometheus',
          authenticationKind: 'ClusterTriggerAuthentication',
          metadata: { authModes: 'bearer', customHeaders: 'X-Scope-OrgID=exams' },
        },
      },
      lanes: {
        copy: { autoscaling: { minReplicas: 0 } },
        inspect: { enabled: true },
        draw: { enabled: true },
      },
    },
  },
  'KEDA, copies with inspections and drawings': {
    ...external,
    worker: { autoscaling: { kind: 'keda', keda: { serverAddress: 'http://prometheus:9090' } } },
  },
  'KEDA without Prometheus': {
    ...external,
    worker: { autoscaling: { kind: 'keda', keda: { source: 'core', fallbackBehavior: 'static' } } },
  },
  'HPA everywhere': {
    ...external,
    facade: { autoscaling: { enabled: true } },
    core: { autoscaling: { enabled: true } },
    worker: { autoscaling: { kind: 'hpa', hpa: { selectorLabels: { job: 'ae' } } } },
  },
  'an ingress with TLS': {
    ...external,
    ingress: {
      enabled: true,
      className: 'nginx',
      hosts: ['a.example.org', 'b.example.org'],
      tlsSecretName: 'api-tls',
    },
    facade: { service: { annotations: { a: 'b' } } },
  },
  'the desk with an ingress': {
    ...external,
    s3: { endpoint: 'https://s3.eu-central-1.amazonaws.com', podIdentity: true, forcePathStyle: false },
    desk: {
      enabled: true,
      url: 'https://desk.example.org',
      autoscaling: { enabled: true },
      ingress: { enabled: true, className: 'nginx', tlsSecretName: 'desk-tls', annotations: { a: 'b' } },
      settings: { DESK_TRUSTED_PROXIES: 1 },
    },
  },
  'the desk with a route, beside embedded services': {
    ...embedded,
    desk: {
      enabled: true,
      url: 'https://desk.example.org',
      gateway: { enabled: true, parentRefs: [{ name: 'public' }] },
    },
  },
  'a route of a Gateway': {
    ...external,
    gateway: {
      enabled: true,
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
      hostnames: ['api.example.org', '*.exams.example.org'],
      annotations: { a: 'b' },
    },
  },
  'what a platform team sets': {
    ...external,
    s3: { endpoint: 'https://s3.eu-central-1.amazonaws.com', podIdentity: true, forcePathStyle: false },
    nats: { existingSecret: 'own-nats', replicas: 3 },
    serviceAccounts: {
      annotations: { 'example.org/all': 'yes' },
      core: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/core' } },
    },
    allPods: {
      dnsPolicy: 'ClusterFirst',
      dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
      extraContainers: [sidecar('proxy')],
      extraInitContainers: [sidecar('before')],
    },
    core: { progressDeadlineSeconds: 900, extraContainers: [sidecar('second')] },
    facade: { minReadySeconds: 10 },
    worker: { minReadySeconds: 5 },
    extraObjects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: '{{ .Release.Name }}-more' },
        data: { a: 'b' },
      },
    ],
  },
  'no network policies, no budgets, no accounts of its own': {
    ...external,
    networkPolicy: { enabled: false },
    serviceAccounts: { create: false, existingName: 'own-account' },
    facade: { podDisruptionBudget: { enabled: false }, service: { type: 'LoadBalancer', port: 443 } },
    core: { podDisruptionBudget: { enabled: false } },
    worker: { podDisruptionBudget: { enabled: false } },
  },
  'network policies that name everybody': {
    ...external,
    ...model,
    tracing: { endpoint: 'http://collector.tracing:4318', sampleRatio: 0.1 },
    networkPolicy: {
      facade: { from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
      core: { extraFrom: [{ podSelector: { matchLabels: { app: 'admin' } } }] },
      worker: { extraEgress: [{ to: [{ ipBlock: { cidr: '10.9.0.0/16' } }] }] },
      postgresql: { to: [{ ipBlock: { cidr: '10.1.0.0/16' } }], ports: [5433] },
      nats: { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }] },
      s3: { to: [{ ipBlock: { cidr: '10.3.0.0/16' } }] },
      model: { to: [{ namespaceSelector: { matchLabels: { name: 'models' } } }] },
      tracing: { to: [{ namespaceSelector: { matchLabels: { name: 'tracing' } } }] },
    },
  },
  'everything monitored': { ...external, monitoring },
  'everything that can be added to pods': {
    ...embedded,
    image: { ...registry, tag: '1.2.3', pullSecrets: ['pull', '123'], pullPolicy: 'Always' },
    caBundle: { configMap: 'authorities' },
    logLevel: 'debug',
    nameOverride: 'evaluation',
    fullnameOverride: 'exam-evaluation',
    allPods: { ...podExtras, extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }] },
    facade: {
      ...podExtras,
      extraVolumes: [],
      extraVolumeMounts: [],
      image: { digest: `sha256:${'0'.repeat(64)}` },
      extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }],
      settings: {
        BODY_LIMIT_BYTES: 104_857_600,
        KEY_CACHE_SECONDS: 0,
        RATE_LIMITS_STANDARD: 'key:reads:minute=600',
        RATE_LIMITS_HIGH: 'none',
        VALIDATE_RESPONSES: false,
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
    },
    core: {
      settings: { LEASE_SECONDS: 20, API_KEY_PREFIX: 'key_', DASHBOARD_URL: 'https://exams.example.org' },
    },
    worker: {
      settings: { DRAIN_SECONDS: 45, QUESTION_CONCURRENCY: 3 },
      lanes: { typed: { extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }] } },
    },
    migrations: { extraEnv: [{ name: 'PGOPTIONS', value: '-c lock_timeout=5s' }] },
  },
};
