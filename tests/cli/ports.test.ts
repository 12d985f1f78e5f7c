import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, killPrograms, processesNaming, startProgram } from '../harness/processes.ts';
import { newEnvironment } from '../harness/service.ts';
import { runProgram } from './program.ts';
import { listenHere } from '../harness/listenHere.ts';

let taken: { server: Server; port: string };
let folder: string;
let ready: Awaited<ReturnType<typeof newEnvironment>>;
beforeAll(async () => {
  const server = createServer();
  taken = { server, port: String(await listenHere(server)) };
  folder = await mkdtemp(join(tmpdir(), 'ports-'));
  ready = await newEnvironment({
    CORE_URL: 'http://127.0.0.1:1',
    CORE_PUBLIC_TOKEN: 'public-token-of-the-test',
    CORE_GRADING_TOKEN: 'grading-token-of-the-test',
    CORE_CONTROL_TOKEN: 'control-token-of-the-test',
    ACTOR_SIGNING_KEY: 'signing-key-of-the-test',
  });
});
afterAll(async () => {
  await killPrograms();
  taken.server.close();
  await rm(folder, { recursive: true, force: true });
  await ready.drop();
});

const messageFor = (setting: string): string =>
  `${setting} ${taken.port} on 127.0.0.1 is taken by another process; set ${setting} to a free one`;

test.each(['PORT', 'DESK_PORT'])(
  'npm start with a port in use for %s names the setting, exits with 1, and writes no files',
  async (setting) => {
    const dataDir = join(folder, `start-${setting}`);
    const outcome = await startProgram('standalone', {
      DATA_DIR: dataDir,
      PORT: '0',
      CORE_PORT: '0',
      DESK_PORT: '0',
      [setting]: taken.port,
    }).catch(String);
    expect(outcome).toContain('ended with 1');
    expect(outcome).toContain(messageFor(setting));
    expect(await processesNaming(dataDir)).toEqual([]);
    expect(await readdir(folder)).not.toContain(`start-${setting}`);
  },
);

test('npm start on the ports of a running service says so, names free ports, and leaves the service alone', async () => {
  const dataDir = join(folder, 'twice');
  const [port, corePort, deskPort] = [await freePort(), await freePort(), await freePort()].map(String);
  const environment = {
    ...ready.environment,
    DATA_DIR: dataDir,
    PORT: port ?? '',
    CORE_PORT: corePort ?? '',
    DESK_PORT: deskPort ?? '',
  };
  const first = await startProgram('standalone', environment);

  const again = await startProgram('standalone', environment).then(
    () => 'it started',
    (error: unknown) => String(error),
  );
  for (const [setting, value] of [
    ['PORT', port],
    ['CORE_PORT', corePort],
    ['DESK_PORT', deskPort],
  ])
    expect(again).toContain(`${setting} ${value} on 127.0.0.1 is taken by this service`);
  expect(again).toContain(`the service of this data folder, whose address is ${first.name}`);

  const offer = /to start a second one: (.*) npm start$/m.exec(again)?.[1] ?? '';
  const offered = Object.fromEntries(offer.split(' ').map((setting) => setting.split('=')));
  expect(Object.keys(offered)).toEqual(['DATA_DIR', 'PORT', 'CORE_PORT', 'DESK_PORT']);
  expect((await fetch(`${first.name}/me`)).status).toBe(401);
});

test('one port for two settings is refused, with both their names and another port', async () => {
  const port = String(await freePort());
  const outcome = await startProgram('standalone', {
    DATA_DIR: join(folder, 'same'),
    PORT: port,
    CORE_PORT: port,
    DESK_PORT: '0',
  }).catch(String);
  expect(outcome).toContain(`CORE_PORT ${port} is also the port of PORT; each needs its own`);
  expect(outcome).toMatch(/free ports: CORE_PORT=\d+ npm start$/m);
  expect(await readdir(folder)).not.toContain('same');
});

test('the demo with PORT in use prints the service’s message, exits with 1, and writes no files', async () => {
  const dataDir = join(folder, 'demo');
  const outcome = await runProgram('demo', [], {
    DATA_DIR: dataDir,
    PORT: taken.port,
    CORE_PORT: '0',
    DESK_PORT: '0',
  });
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain(messageFor('PORT'));
  expect(await readdir(folder)).not.toContain('demo');
});

test.each([
  ['facade', 'PORT'],
  ['facade', 'METRICS_PORT'],
  ['core', 'CORE_PORT'],
  ['worker', 'METRICS_PORT'],
] as const)('the %s with a port in use for %s names the setting and exits with 1', async (app, setting) => {
  const outcome = await startProgram(app, { ...ready.environment, [setting]: taken.port }).catch(String);
  expect(outcome).toContain('ended with 1');
  expect(outcome).toContain(messageFor(setting));
});
