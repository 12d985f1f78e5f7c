import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  readClientSettings,
  readCoreSettings,
  readDeskSettings,
  readFacadeSettings,
  readWorkerSettings,
} from '@evaluation/platform/settings';
import { describe, expect, test } from 'vitest';
import { chart, render, type KubernetesObject } from './helm.ts';
import { external, installations, literal, model } from './installations.ts';
import { find, podsOf, type Container } from './pods.ts';
import { readValues } from './valuesSchema.ts';

const root = join(import.meta.dirname, '../..');
const OPERATORS = {
  DATABASE_URL: 'postgresql://core:secret@db/evaluation',
  NATS_URL: 'nats://nats:4222',
  TEAM_SIGNING_KEYS: JSON.stringify([
    { name: 'results', keys: ['x'.repeat(24)], institutes: 'all', roles: ['examiner'] },
  ]),
} as const;

/** The environment of a container. Values from the operator's Secrets are made up. */
const environmentOf = (objects: KubernetesObject[], { env = [] }: Container): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const ref = valueFrom?.secretKeyRef;
      if (ref === undefined) return [name, value ?? ''];
      if (ref.name.startsWith('own-'))
        return [name, OPERATORS[ref.key as keyof typeof OPERATORS] ?? 'x'.repeat(20)];
      const data = find(objects, 'Secret', ref.name)['stringData'] as Record<string, string>;
      return [name, String(data[ref.key])];
    }),
  );
const environment = (objects: KubernetesObject[], deployment: string): Record<string, string> => {
  const pod = podsOf(objects).find(({ owner }) => owner.metadata.name.endsWith(deployment));
  if (pod?.spec.containers[0] === undefined) throw new Error(`no pod ${deployment}`);
  return environmentOf(objects, pod.spec.containers[0]);
};

describe('the settings readers accept the environment that the chart sets', () => {
  test.each(Object.entries(installations))('%s', async (_, values) => {
    const objects = await render(values);
    const facade = readFacadeSettings(environment(objects, '-facade'));
    const core = readCoreSettings(environment(objects, '-core'));
    const worker = readWorkerSettings(environment(objects, '-worker-copy'));
    readWorkerSettings(environment(objects, '-worker-typed'));
    expect(facade.listen).toEqual({ host: '0.0.0.0', port: 8080 });
    expect(core.listen).toEqual({ host: '0.0.0.0', port: 8081 });
    expect([facade.core.token]).toEqual(core.tokens.public);
    expect([facade.core.actorSigningKey]).toEqual(core.actorSigningKeys);
    expect([worker.core.token]).toEqual(core.tokens.grading);
    const service = find(objects, 'Service', /-core$/);
    expect([facade.core.url, worker.core.url]).toEqual([
      `${core.tls === null ? 'http' : 'https'}://${service.metadata.name}:8081`,
      `${core.tls === null ? 'http' : 'https'}://${service.metadata.name}:8081`,
    ]);
    const scheme = core.tls === null ? 'http' : 'https';
    expect(service['spec']).toMatchObject({
      ports: expect.arrayContaining([expect.objectContaining({ name: 'trpc', appProtocol: scheme })]),
    });
    // All parts use the same lanes on the same server, each with its own user where users are set.
    const places = [facade, core, worker].map(({ lanes: { url, namespace } }) => [
      namespace,
      ...url.split(',').map((one) => new URL(one).host),
    ]);
    expect(new Set(places.map(String)).size).toBe(1);
  });
});

test('the values schema accepts a token, or a pair of tokens, exactly if the service accepts it', async () => {
  const tokens = (await readValues(chart)).filter(({ path }) =>
    /^secrets\.(?:core.*Token|actorSigningKey)$/.test(path),
  );
  expect(tokens).toHaveLength(4);
  const [long, other, short] = ['x'.repeat(16), 'another-of-16-and-more', 'y'.repeat(15)];
  const lists = [long, other, short, `${long},${other}`, `${short},${long}`, `${long},${short}`].concat(
    [`${long},`, `,${long}`, `${long},,${other}`, `${long},${other},${long}`, ` ${long} , ${other}\n`],
    [` ${short}`, `${short} `, `${short} ,${long}`, `${short},${short}`, ' '.repeat(20), 'two words of 16 c'],
  );
  const takes = (list: string): boolean => {
    try {
      return readClientSettings({ CORE_CONTROL_TOKEN: list }).controlToken !== undefined;
    } catch {
      return false;
    }
  };
  expect(lists.filter(takes)).toHaveLength(5);
  for (const { schema, path } of tokens) {
    const pattern = new RegExp(schema.pattern ?? 'none', 'u');
    expect(
      lists.filter((list) => pattern.test(list)),
      path,
    ).toEqual(lists.filter(takes));
    // The empty string: no token is set in the values.
    expect(pattern.test('')).toBe(true);
  }
});

test('signing keys of teams reach core alone, and only if a Secret is named', async () => {
  const secrets = { existingSecret: 'own-tokens', teamSigningKeysSecret: 'own-teams' };
  const objects = await render({ ...external, secrets });
  expect(readCoreSettings(environment(objects, '-core')).teams.map(({ name }) => name)).toEqual(['results']);
  expect(environment(objects, '-facade')).not.toHaveProperty('TEAM_SIGNING_KEYS');
  expect(environment(await render(external), '-core')).not.toHaveProperty('TEAM_SIGNING_KEYS');
});

test('large numbers reach the service as numbers', async () => {
  const objects = await render({ ...external, facade: { settings: { BODY_LIMIT_BYTES: 536_870_912 } } });
  expect(readFacadeSettings(environment(objects, '-facade')).bodyLimitBytes).toBe(536_870_912);
});

test('a model’s settings reach the workers, and the baseline requires no API key', async () => {
  const worker = readWorkerSettings(environment(await render({ ...external, ...model }), '-worker-copy'));
  expect(worker.grader).toMatchObject({
    provider: 'openai',
    baseUrl: 'http://vllm.models:8000/v1',
    model: 'a-model',
  });
  const baseline = environment(await render(external), '-worker-copy');
  expect(readWorkerSettings(baseline).grader).toEqual({ provider: 'baseline' });
  expect(Object.keys(baseline).filter((name) => name.startsWith('OPENAI'))).toEqual([]);
});

test('each lane has its own workers; copy workers take inspections and drawings that have no workers', async () => {
  const lanesOf = async (lanes: object): Promise<Record<string, object>> => {
    const objects = await render({ ...external, worker: { lanes } });
    return Object.fromEntries(
      podsOf(objects)
        .filter(({ owner }) => owner.metadata.name.includes('-worker-'))
        .map(({ owner }) => {
          const { questions: _, ...concurrency } = readWorkerSettings(
            environment(objects, owner.metadata.name),
          ).concurrency;
          return [owner.metadata.name.replace(/.*-worker-/, ''), concurrency];
        }),
    );
  };
  expect(await lanesOf({})).toEqual({
    copy: { copy: 2, typed: 0, inspect: 2, draw: 1 },
    typed: { copy: 0, typed: 8, inspect: 0, draw: 0 },
  });
  const inspect = { enabled: true, concurrency: 4, resources: { limits: { memory: '4Gi' } } };
  expect(await lanesOf({ inspect, draw: { enabled: true } })).toEqual({
    copy: { copy: 2, typed: 0, inspect: 0, draw: 0 },
    typed: { copy: 0, typed: 8, inspect: 0, draw: 0 },
    inspect: { copy: 0, typed: 0, inspect: 4, draw: 0 },
    draw: { copy: 0, typed: 0, inspect: 0, draw: 1 },
  });
});

const desk = { enabled: true, url: 'https://desk.example.org' };

test.each([
  ['an ingress', { ingress: { enabled: true } }, '1'],
  ['a route', { gateway: { enabled: true, parentRefs: [{ name: 'public' }] } }, '1'],
  [
    'an ingress behind another proxy',
    { ingress: { enabled: true }, settings: { DESK_TRUSTED_PROXIES: 2 } },
    '2',
  ],
  ['neither', {}, undefined],
])('with %s the desk takes the address of a browser from the right proxy', async (_, values, expected) => {
  const objects = await render({ ...literal, desk: { ...desk, ...values } });
  expect(environment(objects, '-desk')['DESK_TRUSTED_PROXIES']).toBe(expected);
});

const READERS = {
  facade: readFacadeSettings,
  desk: readDeskSettings,
  core: readCoreSettings,
  worker: readWorkerSettings,
} as const;

describe.each(['facade', 'desk', 'core', 'worker'] as const)('%s', (component) => {
  const settings = async () =>
    (await readValues(chart)).filter(({ path }) => path.startsWith(`${component}.settings.`));
  const nameOf = ({ path }: { path: string }): string => path.replace(/.*\./, '');

  test('each variable that the program reads is a value of the chart or set by the chart', async () => {
    const folder = join(root, 'packages/platform/src/settings');
    const source = await readFile(join(folder, `${component}.ts`), 'utf8');
    // Fields spread from other files (lanesShape, monitorShape) are tested with those files.
    const spread = [...source.matchAll(/^ {2,4}\.\.\.(\w+),$/gm)].map(([, name]) => name);
    const others = await Promise.all(
      (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')),
    );
    const shapes = spread.flatMap((name) =>
      others.flatMap((text) => new RegExp(`export const ${name} = {([^]*?)};`).exec(text)?.[1] ?? []),
    );
    expect(shapes).toHaveLength(spread.length);
    const body = /const \w+Environment = z\s*\.object\(\{\n([^]*?)\n *\}\)[;\n]/.exec(source)?.[1];
    const read = [body, ...shapes].flatMap((text) =>
      [...(text ?? '').matchAll(/^ {1,4}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => String(name)),
    );
    expect(read.length).toBeGreaterThan(10);
    const objects = await render({
      ...literal,
      ...model,
      secrets: { ...(literal['secrets'] as object), teamSigningKeysSecret: 'own-teams' },
      caBundle: { configMap: 'authorities' },
      core: { tlsSecretName: 'core-tls' },
      desk,
      tracing: { endpoint: 'http://collector:4318' },
      nats: { ...(literal['nats'] as object), replicas: 3 },
      s3: { ...(literal['s3'] as object), publicEndpoint: 'https://files.example.org' },
    });
    const set = Object.keys(environment(objects, component === 'worker' ? '-worker-copy' : `-${component}`));
    const known = new Set([...set, ...(await settings()).map(nameOf)]);
    expect(read.filter((name) => !known.has(name))).toEqual([]);
    expect((await settings()).map(nameOf).filter((name) => !read.includes(name))).toEqual([]);
  });

  test('each number of its settings has the bounds that the program checks', async () => {
    const objects = await render({ ...literal, desk });
    const base = environment(objects, component === 'worker' ? '-worker-copy' : `-${component}`);
    const takes = (name: string, value: number): boolean => {
      try {
        READERS[component]({ ...base, [name]: String(value) });
        return true;
      } catch {
        return false;
      }
    };
    const numbers = (await settings()).filter(({ schema }) => schema.type === 'integer');
    expect(numbers.length).toBeGreaterThan(1);
    for (const value of numbers) {
      const { minimum = Number.NaN, maximum = Number.NaN } = value.schema;
      expect(
        [minimum - 1, minimum, maximum, maximum + 1].map((n) => takes(nameOf(value), n)),
        value.path,
      ).toEqual([false, true, true, false]);
    }
  });
});
