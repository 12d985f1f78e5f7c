/**
 * Server processes started by this process that have not ended. Each leads its own process group, so signals of the
 * terminal do not reach it and this process must stop it.
 *
 * The exit handler below signals the remaining servers when this process ends by itself. After SIGKILL the servers
 * survive, and the next start on the same folder stops them.
 */
import type { ChildProcess } from 'node:child_process';
import { stopProcess } from './processes.ts';

type ServerKind = 'postgres' | 'nats' | 'tool';

/**
 * SIGQUIT: immediate shutdown of PostgreSQL, with recovery at the next start. SIGKILL does no harm to a tool, because a
 * tool works in a staging folder.
 */
const AT_ONCE: Record<ServerKind, NodeJS.Signals> = { postgres: 'SIGQUIT', nats: 'SIGTERM', tool: 'SIGKILL' };
/** PostgreSQL kills its own processes 5 s after the start of an immediate shutdown. */
const GRACE_MS = 6000;

const running = new Map<ChildProcess, ServerKind>();
/** Never reset, so that a start in progress cannot start another server. */
let stopped = false;

/** Must be called in the tick of the spawn. @throws Error after `stopServersAtOnce` */
export const track = (child: ChildProcess, kind: ServerKind): void => {
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
};

/** Stops all servers of this process without waiting for their clients. The process must end after this. */
export const stopServersAtOnce = async (): Promise<void> => {
  stopped = true;
  await Promise.all(
    [...running].map(async ([{ pid }, kind]) => {
      if (pid === undefined) return;
      await stopProcess(pid, { gentle: AT_ONCE[kind], harsh: 'SIGKILL', graceMs: GRACE_MS });
    }),
  );
};

const signalAll = (): void => {
  for (const [child, kind] of running) child.kill(AT_ONCE[kind]);
};
