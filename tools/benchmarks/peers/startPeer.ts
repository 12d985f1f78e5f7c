import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A peer in a process of its own, so that its CPU time can be read. It ends when this process ends. */
interface Peer {
  pid: number;
  /** Value that the peer sent when it was ready. */
  ready: string;
  /** Sends a number of jobs to do. @returns when the peer reports that all of them are done */
  run(jobs: number): Promise<void>;
  close(): Promise<void>;
}

export const startPeer = async (file: string, settings: Record<string, string>): Promise<Peer> => {
  const child = fork(join(import.meta.dirname, file), {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings },
  });
  const ended = once(child, 'exit');
  const message = async (): Promise<string> => {
    const outcome = await Promise.race([
      once(child, 'message').then(([text]: unknown[]) => String(text)),
      ended.then(([code]: unknown[]) => new Error(`${file} ended with ${String(code)}`)),
    ]);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const ready = await message();
  const { pid } = child;
  if (pid === undefined) throw new Error('the system named no pid');
  return {
    pid,
    ready,
    run: async (jobs) => {
      child.send(jobs);
      await message();
    },
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
