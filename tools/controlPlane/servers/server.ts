import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface Server {
  close(): Promise<void>;
}

const READY_MS = 120_000;
const END_MS = 10_000;

/**
 * Starts a program of the control plane. Its log is FOLDER/PROGRAM.log.
 * @throws Error with the end of the log, if the program ends or `isReady` stays false
 */
export const startServer = async (
  binary: string,
  args: string[],
  folder: string,
  isReady: () => Promise<boolean>,
  environment: Record<string, string> = {},
): Promise<Server> => {
  const logFile = join(folder, `${basename(binary)}.log`);
  const log = await open(logFile, 'w');
  const child = spawn(binary, args, {
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
    env: { PATH: '/usr/bin:/bin', HOME: folder, ...environment },
  });
  const stopAtExit = (): void => void child.kill('SIGKILL');
  process.on('exit', stopAtExit);
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  await log.close();
  const fail = async (what: string): Promise<never> => {
    child.kill('SIGKILL');
    const text = await readFile(logFile, 'utf8');
    throw new Error(`${basename(binary)} ${what}:\n${text.slice(-2000)}`);
  };
  const deadline = performance.now() + READY_MS;
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null) await fail(`ended with ${child.exitCode}`);
    if (performance.now() > deadline) await fail('is not ready');
    await wait(100);
  }
  return {
    close: async () => {
      child.kill('SIGTERM');
      const kill = setTimeout(stopAtExit, END_MS);
      await ended;
      clearTimeout(kill);
      process.off('exit', stopAtExit);
    },
  };
};
