import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCluster, type Cluster } from './cluster.ts';
import { render, template, type KubernetesObject, type Values } from './helm.ts';
import { embedded, external, literal } from './installations.ts';
import { find } from './pods.ts';

/*
 * Secrets survive an upgrade because helm's `lookup` finds them in the cluster. The real helm looks them up in a server
 * with the needed part of the Kubernetes API (cluster.ts).
 */
/** Renders with a lookup in the cluster. objects.test.ts checks that the objects are valid. */
const IN_CLUSTER = ['--dry-run=server', '--disable-openapi-validation'];
let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster('exams');
});
afterEach(async () => {
  await cluster.close();
});

const inCluster = (values: Values): Promise<KubernetesObject[]> =>
  render(values, IN_CLUSTER, cluster.kubeconfig);
const dataOf = (objects: KubernetesObject[], name: string): Record<string, string> =>
  find(objects, 'Secret', name)['stringData'] as Record<string, string>;
const TOKENS = 'ae-answer-evaluation-tokens';
const EMBEDDED = 'ae-answer-evaluation-embedded';
const generated: Values = { ...external, secrets: { generate: true } };
const trial: Values = { ...embedded, secrets: { generate: true } };

test('an installation generates long, distinct secrets, and helm keeps them on uninstall', async () => {
  const objects = await inCluster(trial);
  const tokens = dataOf(objects, TOKENS);
  expect(Object.keys(tokens).sort()).toEqual([
    'ACTOR_SIGNING_KEY',
    'CORE_CONTROL_TOKEN',
    'CORE_GRADING_TOKEN',
    'CORE_PUBLIC_TOKEN',
  ]);
  const { DATABASE_URL, NATS_CORE_URL, NATS_FACADE_URL, NATS_WORKER_URL, ...passwords } = dataOf(
    objects,
    EMBEDDED,
  );
  const all = [...Object.values(tokens), ...Object.values(passwords)];
  expect(new Set(all).size).toBe(11);
  for (const secret of all) expect(secret).toMatch(/^s[A-Za-z0-9]{20,}$/);
  expect(DATABASE_URL).toBe(
    `postgresql://evaluation:${passwords['POSTGRES_SERVICE_PASSWORD']}@ae-answer-evaluation-postgresql:5432/evaluation`,
  );
  for (const [part, url] of Object.entries({
    core: NATS_CORE_URL,
    facade: NATS_FACADE_URL,
    worker: NATS_WORKER_URL,
  }))
    expect(url).toBe(
      `nats://${part}:${passwords[`NATS_${part.toUpperCase()}_PASSWORD`]}@ae-answer-evaluation-nats:4222`,
    );
  for (const name of [TOKENS, EMBEDDED])
    expect(find(objects, 'Secret', name).metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
});

test('an upgrade renders the secrets that are in the cluster', async () => {
  const first = await inCluster(trial);
  cluster.secrets.set(TOKENS, dataOf(first, TOKENS));
  cluster.secrets.set(EMBEDDED, dataOf(first, EMBEDDED));
  const upgraded = await render(
    { ...trial, logLevel: 'debug' },
    [...IN_CLUSTER, '--is-upgrade'],
    cluster.kubeconfig,
  );
  expect(dataOf(upgraded, TOKENS)).toEqual(dataOf(first, TOKENS));
  expect(dataOf(upgraded, EMBEDDED)).toEqual(dataOf(first, EMBEDDED));
});

test('a secret that a newer chart adds is generated, and the others stay', async () => {
  cluster.secrets.set(TOKENS, { CORE_PUBLIC_TOKEN: 'the-public-token-of-the-first-install' });
  const tokens = dataOf(await inCluster(generated), TOKENS);
  expect(tokens['CORE_PUBLIC_TOKEN']).toBe('the-public-token-of-the-first-install');
  expect(tokens['CORE_GRADING_TOKEN']).toMatch(/^s[A-Za-z0-9]{40}$/);
});

test('a secret in the values takes precedence over a generated one', async () => {
  cluster.secrets.set(TOKENS, { CORE_PUBLIC_TOKEN: 'the-public-token-of-the-first-install' });
  const values = { ...external, secrets: { generate: true, corePublicToken: 'given-afterwards' } };
  expect(dataOf(await inCluster(values), TOKENS)['CORE_PUBLIC_TOKEN']).toBe('given-afterwards');
});

test('with an existing Secret the chart renders none of its keys', async () => {
  cluster.secrets.set('own-tokens', { CORE_PUBLIC_TOKEN: 'a-secret-of-the-operator' });
  cluster.secrets.set(TOKENS, { CORE_PUBLIC_TOKEN: 'a-secret-of-an-earlier-time' });
  const { stdout } = await template(external, IN_CLUSTER, cluster.kubeconfig);
  expect(stdout).toContain('own-tokens');
  expect(stdout).not.toMatch(/a-secret-of|kind: Secret/);
});

test('rendering is reproducible when no secrets are generated', async () => {
  const [first, second] = await Promise.all([template(literal), template(literal)]);
  expect(first.stdout).toBe(second.stdout);
});

test('pods restart when one of their secrets in the values changes, and not when another value does', async () => {
  const sums = async (values: Values): Promise<string[]> => {
    const objects = await render(values);
    return ['facade', 'core', 'worker-copy'].map((name) => {
      const { template: pod } = find(objects, 'Deployment', `ae-answer-evaluation-${name}`)['spec'] as {
        template: { metadata: { annotations: Record<string, string> } };
      };
      return String(pod.metadata.annotations['checksum/secrets']);
    });
  };
  const changed = {
    ...literal,
    secrets: { ...(literal['secrets'] as object), coreGradingToken: 'another-token-of-16' },
  };
  const before = await sums(literal);
  expect(await sums({ ...literal, logLevel: 'debug' })).toEqual(before);
  const after = await sums(changed);
  // Facade does not use this secret, so its pods keep running.
  expect(after.map((sum, index) => sum === before[index])).toEqual([true, false, false]);
});
