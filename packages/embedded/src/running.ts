/**
 * The server processes that this process has started and that have not ended. Each leads a process group of its own, so
 * a signal from the terminal does not reach it, and it must be stopped from here.
 *
 * When this process ends by itself, in whatever way, the exit handler below signals what is left. When it is killed, its
 * servers live on, and the next start on the same folder stops them.
 */
import type { ChildProcess } from 'node:child_process';
import { stopProcess } from './processes.ts';

/** Postmaster, nats-server, or a program that makes a cluster. */
export type ServerKind = 'postgres' | 'nats' | 'tool';

/**
 * SIGQUIT is the immediate shutdown of PostgreSQL: the next start recovers from its log. A tool works in a staging folder
 * that the next start removes.
 */
const AT_ONCE: Record<ServerKind, NodeJS.Signals> = { postgres: 'SIGQUIT', nats: 'SIGTERM', tool: 'SIGKILL' };
/** PostgreSQL itself ends its processes by force 5 s after an immediate shutdown began. */
const GRACE_MS = 6000;

const running = new Map<ChildProcess, ServerKind>();
/** Set for good: a start that is under way must not start another server. */
let stopped = false;

/** To be called in the tick of the spawn. @throws Error when this process is stopping its servers at once */
export function track(child: ChildProcess, kind: ServerKind): void {
  if (running.size === 0) process.on('exit', signalAll);
  running.set(child, kind);
  const ended = (): void => {
    running.delete(child);
    if (running.size === 0) process.off('exit', signalAll);
  };
  child.once('exit', ended);
  child.once('error', () => {
    if (child.pid === undefined) ended();
  });
  if (stopped) {
    child.kill('SIGKILL');
    throw new Error('the servers of this process were stopped at once');
  }
}

/** Stops every server of this process without waiting for its clients. For a process that ends after this. */
export async function stopServersAtOnce(): Promise<void> {
  stopped = true;
  await Promise.all(
    [...running].map(async ([{ pid }, kind]) => {
      if (pid === undefined) return;
      await stopProcess(pid, { gentle: AT_ONCE[kind], harsh: 'SIGKILL', graceMs: GRACE_MS });
    }),
  );
}

function signalAll(): void {
  for (const [child, kind] of running) child.kill(AT_ONCE[kind]);
}
