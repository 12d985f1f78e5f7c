import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A Docker engine: the one that answers, or a `dockerd` of this run with folders, socket and pid file of its own. */
export interface Engine {
  /** @returns stdout @throws Error with the output */
  docker(words: readonly string[], options?: Options): Promise<string>;
  run(program: string, words: readonly string[], options?: Options): Promise<string>;
  close(): Promise<void>;
}

interface Options {
  cwd?: string;
  input?: string | undefined;
  environment?: Record<string, string>;
}

const START_MS = 60_000;
const STOP_MS = 60_000;

/**
 * @param folder of an engine of this run; images and layers stay there if `isKept`
 * @throws Error that says what is missing
 */
export const findEngine = async (folder: string, isKept: boolean): Promise<Engine> => {
  if (!isKept && (await answers({}))) return engineAt(await environmentOf({}), async () => {});
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('no Docker engine answers, and only root on Linux can start one');
  await mkdir(folder, { recursive: true });
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const log = await open(join(folder, 'dockerd.log'), 'w');
  const words = [
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(folder, 'docker.pid'),
    '--host',
    socket,
  ];
  // Detached: Ctrl-C ends it after its containers.
  const daemon = spawn('dockerd', words, { detached: true, stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  const ended = once(daemon, 'exit').catch((error: unknown) => {
    throw new Error(`no Docker engine answers, and dockerd does not start: apt-get install docker.io`, {
      cause: error,
    });
  });
  const close = async (): Promise<void> => {
    await stop(daemon, ended);
    // dockerd leaves the network of the host mounted.
    await execute('umount', [join(folder, 'exec/netns/default')], {}).catch(() => '');
    if (!isKept) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const deadline = performance.now() + START_MS;
  const environment = { DOCKER_HOST: socket };
  while (!(await answers(environment))) {
    const hasEnded = await Promise.race([ended.then(() => true), wait(300, false)]);
    if (hasEnded || performance.now() > deadline) {
      await close();
      throw new Error(`dockerd did not start; see ${join(folder, 'dockerd.log')} with --engine`);
    }
  }
  return engineAt(await environmentOf(environment), close);
};

const stop = async (daemon: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  if (daemon.exitCode !== null) return;
  daemon.kill('SIGTERM');
  const isLate = await Promise.race([ended.then(() => false), wait(STOP_MS, true, { ref: false })]);
  if (isLate) daemon.kill('SIGKILL');
  await ended;
};

const answers = (environment: Record<string, string>): Promise<boolean> =>
  execute('docker', ['version', '--format', '{{.Server.Version}}'], { environment }).then(
    () => true,
    () => false,
  );

/** Without buildx the classic builder builds. */
const environmentOf = async (environment: Record<string, string>): Promise<Record<string, string>> => {
  const hasBuildx = await execute('docker', ['buildx', 'version'], {}).then(
    () => true,
    () => false,
  );
  return hasBuildx ? environment : { ...environment, DOCKER_BUILDKIT: '0' };
};

const engineAt = (environment: Record<string, string>, close: () => Promise<void>): Engine => {
  const run: Engine['run'] = (program, words, options = {}) =>
    execute(program, words, { ...options, environment: { ...environment, ...options.environment } });
  return { run, docker: (words, options) => run('docker', words, options), close };
};

const execute = async (
  program: string,
  words: readonly string[],
  { cwd, input, environment }: Options,
): Promise<string> => {
  const done = Promise.withResolvers<string>();
  const child = execFile(
    program,
    words,
    { cwd, env: { ...process.env, ...environment }, maxBuffer: 256 * 1024 * 1024 },
    (error, stdout, stderr) => {
      if (error === null) done.resolve(stdout.trim());
      else
        done.reject(
          new Error(`${program} ${words.join(' ').slice(0, 300)}: ${(stdout + stderr).slice(-3000)}`, {
            cause: error,
          }),
        );
    },
  );
  child.stdin?.end(input);
  return done.promise;
};
