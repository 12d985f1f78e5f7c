import { afterEach, expect, test } from 'vitest';
import { exposition } from './metrics.ts';
import { readinessOf, startMonitor, type Dependencies, type Monitor } from './monitor.ts';

let monitor: Monitor | undefined;
afterEach(() => monitor?.close());

const start = async (
  dependencies: Dependencies,
  beforeScrape?: () => Promise<void>,
  notes: () => string[] = () => [],
): Promise<(path: string) => Promise<{ status: number; body: string }>> => {
  monitor = await startMonitor({
    host: '127.0.0.1',
    port: 0,
    service: 'test',
    dependencies,
    notes,
    ...(beforeScrape === undefined ? {} : { beforeScrape }),
  });
  const { url } = monitor;
  return async (path) => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, body: await response.text() };
  };
};

/** A readiness response may be a second old. */
const SOON = { timeout: 50_000, interval: 50 };

const there = async (): Promise<void> => {};
const gone = async (): Promise<void> => {
  throw new Error('postgres://user:password@host refused');
};
const silent = (): Promise<void> => new Promise(() => {});

test('/readyz is 200 while all dependencies answer, and else names the missing ones without the reason', async () => {
  let database = there;
  const get = await start({ database: () => database(), lanes: there });
  expect(await get('/readyz')).toEqual({ status: 200, body: 'ok' });
  database = gone;
  await expect.poll(() => get('/readyz'), SOON).toEqual({ status: 503, body: 'database' });
  const { body } = await exposition();
  expect(body).toContain('evaluation_dependency_up{service="test",dependency="database"} 0');
  expect(body).toContain('evaluation_dependency_up{service="test",dependency="lanes"} 1');
  database = there;
  await expect.poll(() => get('/readyz?verbose'), SOON).toEqual({ status: 200, body: 'ok' });
});

test('/readyz adds notes to its body without a change of its status', async () => {
  let database = there;
  const get = await start({ database: () => database() }, undefined, () => ['copy lane takes no runs']);
  expect(await get('/readyz')).toEqual({ status: 200, body: 'ok\ncopy lane takes no runs' });
  database = gone;
  await expect
    .poll(() => get('/readyz'), SOON)
    .toEqual({ status: 503, body: 'database\ncopy lane takes no runs' });
});

test('dependencies are checked once at a time and once a second, for any number of requests', async () => {
  let asked = 0;
  let answer: () => void = () => {};
  const look = readinessOf(
    {
      database: () => {
        asked += 1;
        return new Promise((resolve) => (answer = resolve));
      },
    },
    'test',
  );
  for (const each of await Promise.all(Array.from({ length: 20 }, look)))
    expect(each).toEqual({ status: 503, body: 'database' });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  // The first look at the dependency is still pending.
  const again = look();
  expect(asked).toBe(1);
  answer();
  expect(await again).toEqual({ status: 200, body: 'ok' });
  expect(await look()).toEqual({ status: 200, body: 'ok' });
  expect(asked).toBe(1);
});

test('a dependency that does not answer counts as missing after the timeout', async () => {
  const get = await start({ database: silent, lanes: silent, objects: gone });
  const began = performance.now();
  expect(await get('/readyz')).toEqual({ status: 503, body: 'database, lanes, objects' });
  expect(performance.now() - began).toBeLessThan(3900);
});

test('/healthz is 200 also while dependencies are missing', async () => {
  const get = await start({ database: gone, lanes: silent });
  expect(await get('/healthz')).toEqual({ status: 200, body: 'ok' });
});

test('a stopping process is alive but not ready', async () => {
  const get = await start({ database: there });
  monitor?.stopping();
  expect(await get('/readyz')).toEqual({ status: 503, body: 'stopping' });
  expect((await get('/healthz')).status).toBe(200);
});

test('/metrics answers when its gauges fail or time out', async () => {
  for (const beforeScrape of [gone, silent]) {
    const get = await start({}, beforeScrape);
    expect(await get('/metrics')).toMatchObject({
      status: 200,
      body: expect.stringContaining('evaluation_runs_queued'),
    });
    await monitor?.close();
  }
});

test('/metrics checks the dependencies itself, with the timeout of /readyz, and shares its result', async () => {
  let asked = 0;
  const database = Promise.withResolvers<void>();
  const get = await start({
    scraped: () => {
      asked += 1;
      return database.promise;
    },
  });
  const isUp = async (): Promise<string | undefined> =>
    /^evaluation_dependency_up\{service="test",dependency="scraped"\} (\d)$/m.exec(
      (await get('/metrics')).body,
    )?.[1];
  expect(await Promise.all([isUp(), get('/readyz')])).toEqual(['0', { status: 503, body: 'scraped' }]);
  expect(asked).toBe(1);
  database.resolve();
  await expect.poll(isUp, SOON).toBe('1');
});

test('other paths are 404', async () => {
  const get = await start({});
  for (const path of ['/', '/metrics/', '/../etc/passwd']) expect((await get(path)).status).toBe(404);
});

test('/acceptz is 200 once the dependencies have answered, stays so in an outage, and ends with the stop', async () => {
  let core = gone;
  const get = await start({ core: () => core() });
  expect(await get('/acceptz')).toEqual({ status: 503, body: 'core' });
  core = there;
  await expect.poll(() => get('/acceptz'), SOON).toEqual({ status: 200, body: 'ok' });
  core = gone;
  await expect.poll(() => get('/readyz'), SOON).toEqual({ status: 503, body: 'core' });
  expect(await get('/acceptz')).toEqual({ status: 200, body: 'ok' });
  monitor?.stopping();
  expect(await get('/acceptz')).toEqual({ status: 503, body: 'stopping' });
});
