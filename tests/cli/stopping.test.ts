import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { findInstallation } from '@evaluation/platform/installation';
import { freePort, processesNaming } from '../harness/processes.ts';
import { environmentOf, fileOf } from './program.ts';

/*
 * Stops `npm start` over embedded servers in each way that a terminal or a service manager does. All tests use one data
 * folder, one after another, since making the database cluster is slow.
 */

const ROOT = fileOf('../..');
const PATIENT = { timeout: 60_000, interval: 50 };

let dataDir: string;
let ports: { PORT: string; CORE_PORT: string; DESK_PORT: string; METRICS_PORT: string };
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stopping-'));
  // PostgreSQL runs under another account if the test runs as root.
  await chmod(dataDir, 0o711);
  ports = {
    PORT: String(await freePort()),
    CORE_PORT: String(await freePort()),
    DESK_PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
  };
});
afterEach(async () => {
  for (const pid of [...groups.flatMap((group) => [-group]), ...(await processesNaming(dataDir))]) end(pid);
  groups = [];
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

let groups: number[] = [];
const end = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
};

interface Started {
  group: number;
  node(): Promise<number>;
  output(): string;
  exited: Promise<number | null>;
}

/** Starts `npm run SCRIPT` like a terminal: npm leads a process group that contains the program. */
const npmRun = (script: string, environment: Record<string, string> = {}): Started => {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      LINGER_SECONDS: '0',
      ...ports,
      ...environment,
    }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'close').then(() => child.exitCode);
  const group = child.pid ?? 0;
  groups.push(group);
  return {
    group,
    output: () => output,
    exited,
    node: () => vi.waitFor(() => memberOf(group), PATIENT),
  };
};

const memberOf = async (group: number): Promise<number> => {
  for (const pid of await processesNaming('apps/standalone/src/main.ts')) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group) return pid;
  }
  throw new Error(`no service in group ${group}`);
};

const untilSaid = (started: Started, words: string | RegExp): Promise<void> =>
  vi.waitFor(() => expect(started.output()).toMatch(words), PATIENT);

const startService = async (): Promise<Started> => {
  const service = npmRun('start');
  await untilSaid(service, /^ready /m);
  return service;
};

/** Waits until no process has the data folder in its command line, as each embedded server has. */
const expectNothingLeft = (): Promise<void> =>
  vi.waitFor(async () => expect(await processesNaming(dataDir)).toEqual([]), PATIENT);

/** Opens a request: sends a part of it, so that the service waits for the rest before it exits in order. */
const requestInHand = async (): Promise<{ socket: Socket; finish(): Promise<string> }> => {
  const installation = await findInstallation(dataDir);
  const socket = connect(Number(ports.PORT), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  const head = [
    'POST /v1/exams HTTP/1.1',
    'Host: 127.0.0.1',
    `X-API-Key: ${installation?.first_key?.api_key}`,
    'Content-Type: application/json',
    'Content-Length: 2',
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // "100 Continue" shows that the server has the request.
  await vi.waitFor(() => expect(answer).toContain('100 Continue'), PATIENT);
  return {
    socket,
    finish: async () => {
      socket.write('{}');
      await closed;
      return answer;
    },
  };
};

type Target = 'the process group' | 'npm alone' | 'node alone';
const send = (service: Started, node: number, target: Target, signal: NodeJS.Signals): void => {
  if (target === 'node alone') process.kill(node, signal);
  else process.kill(target === 'npm alone' ? service.group : -service.group, signal);
};

/** Sends the signal until the program has ended: the service may take the first ones for copies of the same signal. */
const sendUntilEnded = async (started: Started, hurry: () => void): Promise<void> => {
  let ended = false;
  void started.exited.then(() => (ended = true));
  await vi.waitFor(() => {
    if (!ended) hurry();
    expect(ended).toBe(true);
  }, PATIENT);
};

// Each start costs several seconds of CPU, so this table and the next one each test two pairs of target and signal.
test.each<[Target, NodeJS.Signals]>([
  ['the process group', 'SIGTERM'],
  ['npm alone', 'SIGINT'],
])(
  'npm start: %s to %s lets the open request finish, exits with 0 and leaves no process',
  async (target, signal) => {
    const service = await startService();
    const request = await requestInHand();
    const node = await service.node();
    send(service, node, target, signal);
    // npm and the terminal may each send a stop again; the service ignores these copies.
    for (const copy of ['SIGTERM', 'SIGINT'] as const) send(service, node, 'node alone', copy);
    await untilSaid(service, 'stopping: finishing');
    expect(await request.finish()).toContain('HTTP/1.1 422');
    expect(await service.exited).toBe(0);
    await expectNothingLeft();
  },
);

test.each<[Target, NodeJS.Signals]>([
  ['the process group', 'SIGINT'],
  ['node alone', 'SIGTERM'],
])(
  'npm start: %s to %s, again after the copies, exits with 1 at once and leaves no process',
  async (target, signal) => {
    const service = await startService();
    const request = await requestInHand();
    const node = await service.node();
    send(service, node, target, signal);
    await untilSaid(service, 'stopping: finishing');
    await sendUntilEnded(service, () => {
      // Send no further signal after this line: a further signal would end npm itself.
      if (!service.output().includes('stopping at once')) send(service, node, target, signal);
    });
    expect(await service.exited).toBe(1);
    await expectNothingLeft();
    request.socket.destroy();
  },
);

test('npm start: SIGQUIT in the middle of the first start exits with 1 at once and leaves no process', async () => {
  const fresh = join(dataDir, 'fresh');
  const service = npmRun('start', { DATA_DIR: fresh });
  await untilSaid(service, 'creating the PostgreSQL cluster');
  process.kill(await service.node(), 'SIGQUIT');
  expect(await service.exited).toBe(1);
  await expectNothingLeft();
});

test('npm run demo: Ctrl-C exits with 130 and stops the service that it started, at once when pressed again', async () => {
  for (const again of [false, true]) {
    const demo = npmRun('demo');
    await untilSaid(demo, /^service /m);
    const request = again ? await requestInHand() : null;
    const interrupt = (): void => void process.kill(-demo.group, 'SIGINT');
    interrupt();
    await untilSaid(demo, 'Stopping the service');
    if (again)
      await sendUntilEnded(demo, () => {
        if (!demo.output().includes('at once')) interrupt();
      });
    expect(await demo.exited).toBe(130);
    await expectNothingLeft();
    request?.socket.destroy();
  }
});
