import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coreOverHttp } from '@evaluation/core-client';
import type { ClonedDatabase } from '@evaluation/test-services';
import { apiClient, type ApiClient } from './api.ts';
import { COMPILE_CACHE } from './compileCache.ts';
import { RUN_BUNDLES, sharedBundle } from './bundles.ts';
import { newEnvironment, type Scopes } from './service.ts';
import { listenHere } from './listenHere.ts';

/** Runs the service's programs as processes that a test can kill, pause and start again. */

type App = 'core' | 'facade' | 'worker' | 'desk' | 'standalone';

export interface Program {
  pid: number;
  /** Address or name that the program printed when it was ready. */
  name: string;
  /** Exit code of the program; null if a signal ended it. */
  exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL to this process alone, as the kernel's OOM killer does. @returns when the process has ended */
  kill(): Promise<void>;
  output(): string;
}

const START_MS = 60_000;
const HERE = fileURLToPath(new URL('../../', import.meta.url));

/** @param root folder of the repository, for a program of another release */
export const sourceOf = (app: App, root: string = HERE): string => join(root, 'apps', app, 'src', 'main.ts');

/** The bundle of the test run, or the source. `npm start` has no bundle. */
const programOf = async (app: App): Promise<string> =>
  RUN_BUNDLES === undefined || app === 'standalone'
    ? sourceOf(app)
    : join(await sharedBundle(RUN_BUNDLES, app), 'main.js');

/** Options of Node with which the Dockerfile starts the worker and `npm start` the service (decision 068). */
const GARBAGE_WAITS = ['--initial-old-space-size=128'];
const OPTIONS: Partial<Record<App, string[]>> = { worker: GARBAGE_WAITS, standalone: GARBAGE_WAITS };

/** Processes started here that have not ended. None may outlive its test file. */
const running = new Map<number, Promise<number | null>>();

/**
 * Starts a program and waits until it prints `ready`. @throws Error with its output, if it ends before that
 * @param onOutput gets all output, to the end
 * @param main file of the program, for a release other than this one
 */
export const startProgram = async (
  app: App,
  environment: Record<string, string>,
  onOutput: (text: string) => void = () => {},
  main?: string,
): Promise<Program> => {
  const child = spawn(process.execPath, [...(OPTIONS[app] ?? []), main ?? (await programOf(app))], {
    // A process group of its own, so that its children can be ended with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...environment,
    },
  });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error('the system named no pid');
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  running.set(pid, exited);

  let output = '';
  const ready = Promise.withResolvers<string>();
  const hear = (chunk: Buffer): void => {
    onOutput(chunk.toString());
    output = (output + chunk.toString()).slice(-8000);
    const [, name] = /(?:^|"msg":")ready ([^"\n]+)/m.exec(output) ?? [];
    if (name !== undefined) ready.resolve(name);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const late = setTimeout(() => ready.reject(new Error(`${app} is not ready:\n${output}`)), START_MS);
  void exited.then((code) => ready.reject(new Error(`${app} ended with ${code}:\n${output}`)));
  try {
    const name = await ready.promise;
    return {
      pid,
      name,
      exited,
      signal: (signal) => void process.kill(pid, signal),
      kill: async () => {
        process.kill(pid, 'SIGKILL');
        await exited;
      },
      output: () => output,
    };
  } finally {
    clearTimeout(late);
  }
};

/** For `afterEach` and `afterAll`: ends the programs started here and their children, in any state. */
export const killPrograms = async (which: (pid: number) => boolean = () => true): Promise<void> => {
  for (const [pid, exited] of running) {
    if (!which(pid)) continue;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
    await exited;
    running.delete(pid);
  }
};

export const processesNaming = async (path: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((pid, index) => pid !== process.pid && (lines[index]?.includes(path) ?? false));
};

/** Core and facade as two processes; the test starts and kills workers. */
export interface SplitService {
  api: ApiClient;
  instituteId: string;
  database: ClonedDatabase;
  environment: Record<string, string>;
  startWorker(settings?: Record<string, string>): Promise<Program>;
  /** Default: the scopes of a new key. */
  newKey(scopes?: Scopes): Promise<{ api_key: string }>;
  core(): Program;
  facade: Program;
  restartCore(): Promise<void>;
  killWorkers(): Promise<void>;
  close(): Promise<void>;
}

export const CREDITS = 10_000;

/** @param apart settings for core only, or for the facade only */
export const startSplitService = async (
  settings: Record<string, string>,
  apart: { core?: Record<string, string>; facade?: Record<string, string> } = {},
): Promise<SplitService> => {
  const temporary = await mkdtemp(join(tmpdir(), 'evaluation-processes-'));
  const port = await freePort();
  const controlToken = newSecret();
  const {
    environment: own,
    database,
    drop,
  } = await newEnvironment({
    CORE_PORT: String(port),
    CORE_URL: `http://127.0.0.1:${port}`,
    CORE_PUBLIC_TOKEN: newSecret(),
    CORE_GRADING_TOKEN: newSecret(),
    CORE_CONTROL_TOKEN: controlToken,
    ACTOR_SIGNING_KEY: newSecret(),
    // Temporary files of a killed worker are deleted with the test.
    TMPDIR: temporary,
    ...settings,
  });
  const environment = own;
  const close = async () => {
    await killPrograms();
    await drop();
    await rm(temporary, { recursive: true, force: true });
  };
  try {
    const ownNats = (app: 'CORE' | 'FACADE' | 'WORKER'): Record<string, string> => {
      const url = environment[`${app}_NATS_URL`];
      return url === undefined ? {} : { NATS_URL: url };
    };
    const startCore = () => startProgram('core', { ...environment, ...ownNats('CORE'), ...apart.core });
    let core = await startCore();
    const facade = await startProgram('facade', { ...environment, ...ownNats('FACADE'), ...apart.facade });
    const control = coreOverHttp({ url: core.name, token: controlToken });
    const provision = control.as({}).control;
    const { institute_id } = await provision.createInstitute.mutate({
      name: 'Killing School',
      credits: CREDITS,
    });
    const { api_key } = await provision.createKey.mutate({ institute_id });
    await control.close();
    return {
      api: apiClient(facade.name, api_key),
      instituteId: institute_id,
      database,
      environment,
      startWorker: (extra = {}) => startProgram('worker', { ...environment, ...ownNats('WORKER'), ...extra }),
      newKey: async (scopes) => {
        const access = coreOverHttp({ url: core.name, token: controlToken });
        const key = { institute_id, ...(scopes === undefined ? {} : { scopes }) };
        try {
          return await access.as({}).control.createKey.mutate(key);
        } finally {
          await access.close();
        }
      },
      core: () => core,
      facade,
      restartCore: async () => {
        core = await startCore();
      },
      killWorkers: () => killPrograms((pid) => pid !== core.pid && pid !== facade.pid),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const newSecret = (): string => randomBytes(16).toString('hex');

/** A port that was free a moment ago, for a core that must come back at the same address. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listenHere(server);
  server.close();
  await once(server, 'close');
  return port;
};
