import { expect, test } from 'vitest';
import { template, templateAs, type Values } from './helm.ts';
import { embedded, external, literal, model } from './installations.ts';

/** Values that cannot work, and a part of the expected error message. */
const refused: Readonly<Record<string, readonly [Values, ...(RegExp | string)[]]>> = {
  'no registry': [{ ...external, image: {} }, 'image.registry is empty', 'kind or minikube'],
  'the tag latest': [
    { ...external, image: { registry: 'r.example.org', tag: 'latest' } },
    'image.tag=latest is refused',
  ],
  'an embedded image without a version': [
    { ...embedded, embedded: { enabled: true, s3: { image: 'ghcr.io/versity/versitygw' } } },
    'embedded.s3.image=ghcr.io/versity/versitygw names no version',
  ],
  'an embedded image latest, behind a port': [
    { ...embedded, embedded: { enabled: true, nats: { image: 'mirror:5000/nats:latest' } } },
    'embedded.nats.image=mirror:5000/nats:latest names no version',
  ],
  'a desk behind an ingress that trusts no proxy': [
    {
      ...literal,
      desk: {
        enabled: true,
        url: 'https://desk.example.org',
        ingress: { enabled: true },
        settings: { DESK_TRUSTED_PROXIES: 0 },
      },
    },
    'desk.settings.DESK_TRUSTED_PROXIES=0 with desk.ingress or desk.gateway',
  ],
  'no service tokens': [
    { ...external, secrets: {} },
    'there are no service tokens',
    'secrets.existingSecret',
    'secrets.generate=true',
  ],
  'three of four service tokens': [
    { ...literal, secrets: { ...(literal['secrets'] as object), actorSigningKey: '' } },
    'there are no service tokens: secrets.actorSigningKey.',
  ],
  'tokens in a Secret and in the values': [
    { ...literal, secrets: { ...(literal['secrets'] as object), existingSecret: 'own' } },
    /secrets\.existingSecret and secrets\.actorSigningKey, .* are both set.*Remove the values/,
  ],
  'tokens in a Secret, and to be generated': [
    { ...external, secrets: { existingSecret: 'own', generate: true } },
    'secrets.existingSecret and secrets.generate are both set',
  ],
  'generated secrets without a cluster to keep them in': [
    { ...external, secrets: { generate: true } },
    'helm template sees no cluster',
    'secrets.allowUnkept=true',
  ],
  'embedded passwords without a cluster to keep them in': [
    { ...embedded, secrets: { existingSecret: 'own' } },
    'helm template sees no cluster',
  ],
  'no database': [{ ...external, database: {} }, 'there is no database', 'embedded.enabled=true'],
  'two databases': [
    { ...external, database: { url: 'postgresql://a@b/c', existingSecret: 'own' } },
    'database.url and database.existingSecret are both set',
    'the existing Secret is the one to trust',
  ],
  'more connections than PostgreSQL allows': [
    {
      ...external,
      database: { existingSecret: 'own', maxConnections: 100 },
      core: { autoscaling: { enabled: true, maxReplicas: 6 } },
    },
    'core may open 129 connections, and PostgreSQL allows 100',
    'database.maxConnections',
  ],
  'more connections than the embedded PostgreSQL allows': [
    { ...embedded, core: { replicas: 6 } },
    'core may open 129 connections, and PostgreSQL allows 100',
  ],
  'two roles for the migrations': [
    {
      ...external,
      database: { existingSecret: 'own', migrate: { url: 'postgresql://a@b/c', existingSecret: 'own' } },
    },
    'database.migrate.url and database.migrate.existingSecret are both set',
  ],
  'no NATS': [{ ...external, nats: {} }, 'there is no NATS'],
  'two of NATS': [
    { ...external, nats: { url: 'nats://a', existingSecret: 'own' } },
    'nats.url and nats.existingSecret are both set',
  ],
  'no object store': [
    { ...external, s3: { existingSecret: 'own' } },
    'there is no object store: set s3.endpoint',
  ],
  'no credentials for the object store': [
    { ...external, s3: { endpoint: 'https://s3.example.org', accessKeyId: 'only' } },
    'there are no credentials for the object store',
  ],
  'two credentials for the object store': [
    { ...external, s3: { endpoint: 'https://s3.example.org', existingSecret: 'own', secretAccessKey: 'x' } },
    's3.existingSecret and s3.accessKeyId or s3.secretAccessKey are both set',
  ],
  'embedded services and ones of your own': [
    { ...embedded, database: { existingSecret: 'own' }, nats: { url: 'nats://a' } },
    'values for your own are set too (database, nats)',
  ],
  'a model without a key': [
    { ...external, grader: { provider: 'openai' } },
    'grader.provider=openai needs a key',
    'grader.apiKey=none',
  ],
  'a model with two keys': [
    { ...external, grader: { provider: 'openai', apiKey: 'a', existingSecret: 'own' } },
    'grader.apiKey and grader.existingSecret are both set',
  ],
  'a key for the baseline': [
    { ...external, grader: { existingSecret: 'own' } },
    'grader.provider=baseline uses none',
  ],
  'a drain that is longer than the grace': [
    { ...external, worker: { settings: { DRAIN_SECONDS: 60 } } },
    'worker.terminationGracePeriodSeconds=60 is too short for worker.settings.DRAIN_SECONDS=60',
    'Make it at least 70',
  ],
  'a facade that is killed over a request': [
    { ...external, facade: { settings: { LINGER_SECONDS: 60 } } },
    'facade.terminationGracePeriodSeconds=75 is too short',
    'Make it at least 95',
  ],
  'core that is killed over a call': [
    { ...external, core: { terminationGracePeriodSeconds: 30 } },
    'core.terminationGracePeriodSeconds=30 is too short',
  ],
  'an HPA whose minimum is above its maximum': [
    { ...external, facade: { autoscaling: { enabled: true, minReplicas: 20 } } },
    'facade.autoscaling.minReplicas is more than maxReplicas',
  ],
  'a lane without replicas and without scaling': [
    { ...external, worker: { lanes: { typed: { replicas: 0 } } } },
    'worker.lanes.typed.replicas=0 and worker.autoscaling.kind=none',
  ],
  'a lane without workers': [
    { ...external, worker: { lanes: { typed: { enabled: false } } } },
    'would never be graded',
    'worker.lanes.typed.elsewhere=true',
  ],
  'inspections and drawings without workers': [
    { ...external, worker: { lanes: { copy: { enabled: false, elsewhere: true } } } },
    'worker.lanes.inspect has no workers of its own',
    'worker.lanes.draw has no workers of its own',
  ],
  'a lane that an HPA should start from nothing': [
    {
      ...external,
      worker: { autoscaling: { kind: 'hpa' }, lanes: { copy: { autoscaling: { minReplicas: 0 } } } },
    },
    'worker.lanes.copy.autoscaling.minReplicas=0 needs KEDA',
  ],
  'a lane whose minimum is above its maximum': [
    {
      ...external,
      worker: { autoscaling: { kind: 'hpa' }, lanes: { copy: { autoscaling: { minReplicas: 30 } } } },
    },
    'worker.lanes.copy.autoscaling.minReplicas is more than maxReplicas',
  ],
  'KEDA without Prometheus': [
    { ...external, worker: { autoscaling: { kind: 'keda' } } },
    'worker.autoscaling.keda.serverAddress is empty',
    'worker.autoscaling.keda.source=core',
  ],
  'credentials that KEDA would not send': [
    {
      ...external,
      worker: {
        autoscaling: { kind: 'keda', keda: { serverAddress: 'http://p:9090', authenticationRef: 'p' } },
      },
    },
    'worker.autoscaling.keda.metadata.authModes is not: KEDA would send no credentials',
  ],
  'credentials for metrics of core': [
    {
      ...external,
      worker: { autoscaling: { kind: 'keda', keda: { source: 'core', authenticationRef: 'p' } } },
    },
    "core's metrics take no credentials",
  ],
  'a pod identity and keys': [
    { ...external, s3: { endpoint: 'https://s3.example.org', existingSecret: 'own', podIdentity: true } },
    's3.podIdentity=true takes the credentials from the pod',
  ],
  'a route without a Gateway and without a name': [
    { ...external, gateway: { enabled: true } },
    'gateway.enabled=true needs gateway.parentRefs',
    'gateway.enabled=true needs gateway.hostnames',
  ],
  'memory in bytes that was meant in mebibytes': [
    {
      ...external,
      facade: { resources: { requests: { cpu: 1, memory: 512 }, limits: { cpu: 1, memory: 512 } } },
      worker: {
        lanes: {
          typed: { resources: { requests: { cpu: 1, memory: 512 }, limits: { cpu: 1, memory: 512 } } },
        },
      },
    },
    'facade.resources.limits.memory=512 is too little: the process needs 256 Mi. A number without a unit is bytes',
    'worker.lanes.typed.resources.limits.memory=512 is too little',
  ],
  'a host that is no host name': [
    { ...external, ingress: { enabled: true, hosts: ['not a host'] } },
    '/ingress/hosts/0',
  ],
  'rate limits, prices, an address and a bucket that no program accepts': [
    {
      ...external,
      facade: { settings: { RATE_LIMITS_STANDARD: 'foo' } },
      core: { settings: { DASHBOARD_URL: 'foo' } },
      worker: { settings: { MODEL_PRICES: 'xx' } },
      s3: { endpoint: 'https://s3.example.org', existingSecret: 'own', bucket: 'A_B' },
    },
    'RATE_LIMITS_STANDARD',
    'DASHBOARD_URL',
    'MODEL_PRICES',
    '/s3/bucket',
  ],
  'copies that do not fit into the memory, with what their pod does besides': [
    { ...external, worker: { lanes: { copy: { concurrency: 4 } } } },
    'worker.lanes.copy.resources.limits.memory=5Gi is too little for worker.lanes.copy.concurrency=4, worker.lanes.inspect.concurrency=2, worker.lanes.draw.concurrency=1',
    '768 Mi for each of 7 at once, 450 Mi for reading offline (grader.provider=baseline), 256 Mi for the worker itself are 6082 Mi',
  ],
  'copies that do not fit into the memory, with a model': [
    { ...external, ...model, worker: { lanes: { copy: { concurrency: 4 } } } },
    '768 Mi for each of 7 at once, 256 Mi for the worker itself are 5632 Mi',
  ],
  'inspections that do not fit into the memory of their own pod': [
    { ...external, worker: { lanes: { inspect: { enabled: true, concurrency: 3 } } } },
    'worker.lanes.inspect.resources.limits.memory=2Gi is too little for worker.lanes.inspect.concurrency=3: 768 Mi for each of 3 at once, 256 Mi for the worker itself are 2560 Mi',
  ],
  'typed answers without memory for their worker': [
    {
      ...external,
      worker: {
        lanes: {
          typed: {
            resources: {
              requests: { cpu: '1', memory: '128Mi' },
              limits: { cpu: '1', memory: '128Mi' },
            },
          },
        },
      },
    },
    'worker.lanes.typed.resources.limits.memory=128Mi is too little: 256 Mi for the worker itself',
  ],
  'migrations as another role that grant core nothing': [
    { ...external, database: { existingSecret: 'own', migrate: { existingSecret: 'own-owner' } } },
    "migrations.coreDatabaseRole is empty: core's role would be granted nothing",
    'also where both are the same role',
  ],
  'alerts that lead nowhere': [
    { ...external, monitoring: { prometheusRule: { enabled: true } } },
    'monitoring.runbookUrl is empty',
    'https://git.example.org',
  ],
  'alerts that lead to no address': [
    { ...external, monitoring: { runbookUrl: 'docs/operate/runbook.md' } },
    '/monitoring/runbookUrl',
  ],
  'a certificate of core without a CA bundle': [
    { ...external, core: { tlsSecretName: 'core-tls' } },
    'core.tlsSecretName is set, and caBundle.configMap is not',
  ],
  'no account to run as': [
    { ...external, serviceAccounts: { create: false } },
    'serviceAccounts.create=false needs serviceAccounts.existingName',
  ],
  'an ingress without a name': [
    { ...external, ingress: { enabled: true } },
    'ingress.enabled=true needs ingress.hosts',
  ],
  'a monitor that reaches no pod': [
    {
      ...external,
      monitoring: { serviceMonitor: { enabled: true } },
      networkPolicy: { metrics: { from: [] } },
    },
    'networkPolicy.metrics.from is empty',
  ],
  'a variable that the chart sets itself': [
    { ...external, core: { extraEnv: [{ name: 'CORE_PORT', value: '1' }] } },
    'extraEnv sets CORE_PORT for core, which the chart sets itself',
  ],
  'a setting by extraEnv that has its value': [
    { ...external, allPods: { extraEnv: [{ name: 'DRAIN_SECONDS', value: '1' }] } },
    'extraEnv sets DRAIN_SECONDS for worker',
  ],
  'a variable twice': [
    {
      ...external,
      allPods: { extraEnv: [{ name: 'A', value: '1' }] },
      facade: { extraEnv: [{ name: 'A', value: '2' }] },
    },
    'extraEnv sets A for facade twice',
  ],
  'an unknown value': [{ ...external, databse: {} }, "additional properties 'databse' not allowed"],
  'an unknown value deep below': [
    { ...external, worker: { lanes: { copy: { replica: 3 } } } },
    "additional properties 'replica' not allowed",
  ],
  'an unknown setting': [
    { ...external, core: { settings: { LEASE_SECOND: 5 } } },
    "additional properties 'LEASE_SECOND' not allowed",
  ],
  'a setting out of bounds': [{ ...external, core: { settings: { LEASE_SECONDS: 0 } } }, 'LEASE_SECONDS'],
  'a token that is too short': [
    {
      ...literal,
      secrets: {
        ...(literal['secrets'] as object),
        corePublicToken: 'short',
        coreGradingToken: 'short,and-one-that-is-long',
      },
    },
    '/secrets/corePublicToken',
    '/secrets/coreGradingToken',
  ],
  'a container without limits': [{ ...external, core: { resources: { limits: null } } }, '/core/resources'],
};

test.each(Object.entries(refused))('helm refuses %s, and says what to do', async (_, [values, ...parts]) => {
  const { code, stderr } = await template(values);
  expect(code).not.toBe(0);
  for (const part of parts) expect(stderr).toMatch(part);
});

test.each(['2026', 'ex.am'])(
  'the release name %s, which Kubernetes does not accept, is refused until fullnameOverride is set',
  async (name) => {
    const refusal = await templateAs(name, external);
    expect(refusal.code).not.toBe(0);
    expect(refusal.stderr).toMatch(/cannot be the name of a Service.*Set fullnameOverride/);
    const named = await templateAs(name, { ...external, fullnameOverride: 'evaluation' });
    expect(named.stderr).toBe('');
    expect(named.stdout).toContain(`app.kubernetes.io/instance: "${name}"`);
  },
);

test('all errors are reported at once', async () => {
  const { stderr } = await template({ ingress: { enabled: true } });
  for (const part of [
    'image.registry',
    'service tokens',
    'database',
    'NATS',
    'object store',
    'ingress.hosts',
  ])
    expect(stderr).toMatch(part);
});

test('another release may have workers of one lane only', async () => {
  const lanes = {
    copy: { enabled: false, elsewhere: true },
    inspect: { elsewhere: true },
    draw: { elsewhere: true },
  };
  expect((await template({ ...external, worker: { lanes } })).stderr).toBe('');
});
