import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killPrograms, processesNaming, startProgram } from '../harness/processes.ts';
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
