import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../tests/harness/processes.ts';
import { NATS, POSTGRES, S3 } from './bases.ts';
import type { Engine } from './engine.ts';
import { imageOf, type App } from './images.ts';
import { chartLimits } from './limits.ts';

/*
 * The service in containers of one network: the app images read-only, without capabilities, with the limits of the
 * chart. Ports of this machine are fixed, so a container that starts again has its old address.
 */

export type Part = Exclude<App, 'migrate'> | 'postgres' | 'nats' | 's3';
export const APPS = ['facade', 'core', 'desk', 'worker'] as const satisfies readonly App[];

export interface Site {
  nameOf(part: Part): string;
  urls: { facade: string; desk: string };
  /** Milliseconds from `docker run` to ready. */
  startMs: Map<string, number>;
  /** Waits for the readiness of a part. */
  untilReady(part: Part): Promise<void>;
  /** Runs core's command. @returns its stdout */
  admin(words: readonly string[], input?: string): Promise<string>;
  close(): Promise<void>;
}

const READY_MS = 60_000;
const SECRETS = {
  CORE_PUBLIC_TOKEN: 'p'.repeat(32),
  CORE_GRADING_TOKEN: 'g'.repeat(32),
  CORE_CONTROL_TOKEN: 'c'.repeat(32),
  ACTOR_SIGNING_KEY: 's'.repeat(32),
};
const STORE = { access: 'rehearsal-access', secret: 'rehearsal-secret' };
const LOCKED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** Removes what a rehearsal has started, at any moment of it: the containers of this prefix, then their networks. */
export const removeContainers = async ({ docker }: Engine, prefix: string): Promise<void> => {
  const containers = await docker(['ps', '--all', '--quiet', '--filter', `name=^${prefix}-`]);
  if (containers !== '') await docker(['rm', '--force', '--volumes', ...containers.split('\n')]);
  const networks = await docker(['network', 'ls', '--quiet', '--filter', `name=^${prefix}`]);
  if (networks !== '') await docker(['network', 'rm', ...networks.split('\n')]);
};

export const startSite = async (engine: Engine, version: string, prefix: string): Promise<Site> => {
  const { docker } = engine;
  const limits = await chartLimits();
  const ports = {
    facade: await freePort(),
    desk: await freePort(),
    core: await freePort(),
    s3: await freePort(),
    nats: await freePort(),
  };
  const local = (part: keyof typeof ports, path: string): string => `http://127.0.0.1:${ports[part]}${path}`;
  const nameOf = (part: string): string => `${prefix}-${part}`;
  const startMs = new Map<string, number>();

  const run = async (
    part: string,
    image: string,
    environment: Record<string, string>,
    { more = [], command = [] }: { more?: string[]; command?: string[] } = {},
  ): Promise<void> => {
    const words = ['run', '--name', nameOf(part), '--network', prefix, '--network-alias', part];
    for (const [name, value] of Object.entries(environment)) words.push('--env', `${name}=${value}`);
    await docker([...words, ...(limits[part] ?? []), ...more, image, ...command]);
  };
  const publish = (part: keyof typeof ports, port: number): string[] => [
    '--publish',
    `127.0.0.1:${ports[part]}:${port}`,
  ];
  const answersAt = (url: string): Promise<boolean> =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const probes: Record<Part, () => Promise<boolean>> = {
    facade: () => answersAt(local('facade', '/readyz')),
    desk: () => answersAt(local('desk', '/readyz')),
    core: () => answersAt(local('core', '/readyz')),
    s3: () => answersAt(local('s3', '/health')),
    nats: () => answersAt(local('nats', '/healthz')),
    postgres: () =>
      docker([
        'exec',
        nameOf('postgres'),
        'pg_isready',
        '--host',
        '127.0.0.1',
        '--username',
        'postgres',
      ]).then(
        () => true,
        () => false,
      ),
    worker: () =>
      docker(['exec', nameOf('worker'), 'node', '--eval', WORKER_READY]).then(
        () => true,
        () => false,
      ),
  };
  const untilReady = async (part: Part): Promise<void> => {
    const deadline = performance.now() + READY_MS;
    while (!(await probes[part]())) {
      if (performance.now() < deadline) await wait(50);
      else {
        const log = await engine.run('sh', ['-c', 'docker logs --tail 20 "$0" 2>&1', nameOf(part)]);
        throw new Error(`${part} is not ready: ${log}`);
      }
    }
  };
  const start = async (part: Part, ...rest: OmitFirst<Parameters<typeof run>>): Promise<void> => {
    const [image, environment, { more = [], command = [] } = {}] = rest;
    const began = performance.now();
    await run(part, image, environment, { more: ['--detach', ...more], command });
    await untilReady(part);
    startMs.set(part, performance.now() - began);
  };
  const close = () => removeContainers(engine, prefix);

  await docker(['network', 'create', prefix]);
  try {
    await start('postgres', POSTGRES, { POSTGRES_PASSWORD: 'rehearsal' });
    await start('nats', NATS, {}, { more: publish('nats', 8222), command: ['-js', '-m', '8222'] });
    await start(
      's3',
      S3,
      {
        ROOT_ACCESS_KEY: STORE.access,
        ROOT_SECRET_KEY: STORE.secret,
        VGW_BACKEND: 'posix',
        VGW_BACKEND_ARG: '/data',
        VGW_PORT: ':9000',
        VGW_HEALTH: '/health',
        VGW_CORS_ALLOW_ORIGIN: local('desk', ''),
      },
      { more: publish('s3', 9000) },
    );
    for (const statement of [
      `CREATE ROLE answer_evaluation LOGIN PASSWORD 'rehearsal'`,
      'CREATE DATABASE answer_evaluation OWNER answer_evaluation',
    ])
      await docker(['exec', nameOf('postgres'), 'psql', '--username', 'postgres', '--command', statement]);
    const database = {
      DATABASE_URL: 'postgresql://answer_evaluation:rehearsal@postgres:5432/answer_evaluation',
    };
    const began = performance.now();
    await run('migrate', imageOf('migrate', version), database, { more: ['--rm', ...LOCKED] });
    startMs.set('migrate', performance.now() - began);
    const shared = { NATS_URL: 'nats://nats:4222', CORE_URL: 'http://core:8081' };
    const { CORE_PUBLIC_TOKEN, CORE_GRADING_TOKEN, ACTOR_SIGNING_KEY } = SECRETS;
    await start(
      'core',
      imageOf('core', version),
      {
        ...database,
        ...SECRETS,
        NATS_URL: shared.NATS_URL,
        S3_ENDPOINT: 'http://s3:9000',
        S3_PUBLIC_ENDPOINT: local('s3', ''),
        S3_ACCESS_KEY_ID: STORE.access,
        S3_SECRET_ACCESS_KEY: STORE.secret,
      },
      { more: [...LOCKED, ...publish('core', 8081)] },
    );
    await start(
      'worker',
      imageOf('worker', version),
      { ...shared, CORE_GRADING_TOKEN, METRICS_PORT: '9090' },
      { more: LOCKED },
    );
    const open = { ...shared, CORE_PUBLIC_TOKEN, ACTOR_SIGNING_KEY };
    await start('facade', imageOf('facade', version), open, {
      more: [...LOCKED, ...publish('facade', 8080)],
    });
    await start(
      'desk',
      imageOf('desk', version),
      { ...open, DESK_URL: local('desk', ''), DESK_STORE_ORIGINS: local('s3', '') },
      { more: [...LOCKED, ...publish('desk', 8082)] },
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nameOf,
    urls: { facade: local('facade', ''), desk: local('desk', '') },
    startMs,
    untilReady,
    admin: (words, input) => docker(['exec', '-i', nameOf('core'), 'node', 'admin.js', ...words], { input }),
    close,
  };
};

type OmitFirst<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

/** The worker publishes no port, so the probe runs in its container. */
const WORKER_READY =
  "fetch('http://127.0.0.1:9090/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))";
