import { describe, expect, test } from 'vitest';
import { render, type KubernetesObject, type Values } from './helm.ts';
import { embedded, external, literal } from './installations.ts';
import { find, podsOf } from './pods.ts';

const isHook = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade';
const HOOK = 'ae-answer-evaluation-migrate-hook';
const withMode = (values: Values, mode: string, more: object = {}): Values => ({
  ...values,
  migrations: { mode, ...more },
});
const jobName = async (values: Values): Promise<string> =>
  find(await render(values), 'Job', /migrate/).metadata.name;

/** Names of the Secrets, service accounts and policies that must exist before the job's pod can start. */
const needs = (objects: KubernetesObject[]): string[] => {
  const [pod] = podsOf(objects).filter(({ owner }) => owner.kind === 'Job');
  if (pod === undefined) throw new Error('no job');
  const secrets = pod.spec.containers.flatMap((container) =>
    (container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
  );
  return [...secrets.map((name) => `Secret ${name}`), `ServiceAccount ${pod.spec.serviceAccountName}`];
};

describe('migrations as a hook', () => {
  test.each([
    ['existing secrets', external],
    ['literal values', literal],
    [
      'a literal address of its own',
      {
        ...external,
        database: { existingSecret: 'own', migrate: { url: 'postgresql://o@d/e' } },
        migrations: { coreDatabaseRole: 'core' },
      },
    ],
    [
      'an existing secret of its own',
      {
        ...literal,
        database: { ...(literal['database'] as object), migrate: { existingSecret: 'own-owner' } },
        migrations: { coreDatabaseRole: 'core' },
      },
    ],
  ])('with %s the job needs no object that the release creates later', async (_, values) => {
    const objects = await render(values);
    const job = find(objects, 'Job', HOOK);
    expect(isHook(job)).toBe(true);
    for (const need of needs(objects)) {
      const made = objects.find(({ kind, metadata }) => `${kind} ${metadata.name}` === need);
      if (need.startsWith('Secret own')) expect(made).toBeUndefined();
      else {
        expect(made, need).toBeDefined();
        if (made === undefined) continue;
        expect(isHook(made), need).toBe(true);
        expect(Number(made.metadata.annotations?.['helm.sh/hook-weight'])).toBeLessThan(
          Number(job.metadata.annotations?.['helm.sh/hook-weight']),
        );
      }
    }
    expect(isHook(find(objects, 'NetworkPolicy', HOOK))).toBe(true);
  });

  test('helm recreates the hook’s other objects each time; the objects that a job needs stay, since a job may run longer than helm waits', async () => {
    for (const { kind, metadata } of (await render(literal)).filter(isHook)) {
      expect(metadata.annotations?.['helm.sh/hook-delete-policy'], kind).toBe(
        kind === 'Job' ? 'before-hook-creation,hook-succeeded' : 'before-hook-creation',
      );
    }
  });

  test('no hook object has the name of a release object in another mode, which helm could not take over', async () => {
    const namesOf = async (mode: string) =>
      (await render(withMode(literal, mode))).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const hooks = (await namesOf('hook')).filter((name) => name.endsWith(HOOK));
    expect(hooks).toHaveLength(4);
    expect(await namesOf('job')).toEqual(expect.not.arrayContaining(hooks));
  });

  test('no other part of the release is a hook or uses an object that is deleted with the hook', async () => {
    const objects = await render(literal);
    expect(objects.filter(isHook).map(({ metadata }) => metadata.name)).toEqual([HOOK, HOOK, HOOK, HOOK]);
    for (const { owner, spec } of podsOf(objects))
      if (owner.kind !== 'Job') expect(JSON.stringify(spec)).not.toContain(HOOK);
  });

  test('with embedded services the migrations are a plain job, since the database comes with the release', async () => {
    const objects = await render(withMode(embedded, 'hook'));
    expect(objects.filter(isHook)).toEqual([]);
    expect(find(objects, 'Job', /migrate/).metadata.name).toMatch(
      /^ae-answer-evaluation-migrate-[0-9a-f]{10}$/,
    );
  });
});

describe('migrations as a job', () => {
  test('no object is a hook, so tools that render and apply know every object', async () => {
    for (const values of [external, literal, embedded])
      expect((await render(withMode(values, 'job'))).filter(isHook)).toEqual([]);
  });

  test('the job’s name changes with its image or settings, and only then', async () => {
    const job = withMode(external, 'job');
    const names = await Promise.all(
      [
        job,
        { ...job, image: { registry: 'registry.example.org/exams', tag: '0.2.0' } },
        { ...job, migrations: { mode: 'job', extraEnv: [{ name: 'A', value: 'b' }] } },
        { ...job, database: { existingSecret: 'another' } },
      ].map(jobName),
    );
    expect(new Set(names).size).toBe(4);
    expect(await jobName({ ...job, logLevel: 'debug', core: { replicas: 5 } })).toBe(names[0]);
  });
});

test('in mode `none` there is no job and no object for one', async () => {
  const objects = await render(withMode(literal, 'none'));
  expect(objects.filter(({ metadata }) => metadata.name.includes('migrate'))).toEqual([]);
});

test('no probe can kill a migration, a failed one is retried, and it has time for a large table', async () => {
  const job = find(await render(external), 'Job', HOOK);
  expect(JSON.stringify(job)).not.toMatch(/probe/i);
  expect(job['spec']).toMatchObject({
    backoffLimit: 6,
    activeDeadlineSeconds: 7200,
    template: { spec: { restartPolicy: 'Never' } },
  });
});

test("core's pods wait for the schema with the release's own migrations, and no other pod does", async () => {
  for (const mode of ['hook', 'job', 'none']) {
    const waiting = podsOf(await render(withMode(literal, mode))).filter(
      ({ spec }) => spec.initContainers !== undefined,
    );
    expect(waiting.map(({ owner }) => owner.metadata.name)).toEqual(['ae-answer-evaluation-core']);
    expect(waiting[0]?.spec.initContainers).toMatchObject([
      { image: 'registry.example.org/exams/answer-evaluation/migrate:0.1.0', args: ['--wait'] },
    ]);
  }
  expect(
    podsOf(await render(withMode(external, 'hook', { waitForSchema: false }))).every(
      ({ spec }) => spec.initContainers === undefined,
    ),
  ).toBe(true);
});

test('core’s own database role is passed to the migrations, and to no other pod', async () => {
  const named = podsOf(
    await render({
      ...external,
      database: { existingSecret: 'own', migrate: { existingSecret: 'own-owner' } },
      migrations: { coreDatabaseRole: 'core' },
    }),
  ).filter(({ spec }) => JSON.stringify(spec).includes('CORE_DATABASE_ROLE'));
  expect(named.map(({ owner }) => owner.kind)).toEqual(['Job']);
  expect(named[0]?.spec.containers[0]?.env).toContainEqual({ name: 'CORE_DATABASE_ROLE', value: 'core' });
});
