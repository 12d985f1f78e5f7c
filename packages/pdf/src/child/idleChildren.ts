import type { ChildProcess } from 'node:child_process';
import type { Role } from '../messages.ts';

// Children that have sent "ready" again after a job and wait for the next one. A child is either here or belongs to one
// call of `runChild`. When this process dies, the channels close and the children end themselves.

const MOST_OF_A_ROLE = 4;
const IDLE_MILLISECONDS = 15_000;

interface Idle {
  child: ChildProcess;
  timer: NodeJS.Timeout;
  drop: () => void;
}

const waiting: Record<Role, Idle[]> = { read: [], draw: [] };

/** Takes the child that was used last, whose code and memory are warm; undefined when none is idle. */
export const takeIdle = (role: Role): ChildProcess | undefined => {
  const idle = waiting[role].pop();
  if (idle === undefined) return undefined;
  clearTimeout(idle.timer);
  idle.child.off('exit', idle.drop);
  hold(idle.child, 'ref');
  return idle.child;
};

/**
 * Keeps a child for the next job, or ends it when enough children wait. An idle child does not keep this process
 * alive.
 */
export const keepIdle = (role: Role, child: ChildProcess): void => {
  if (waiting[role].length >= MOST_OF_A_ROLE) {
    end(child);
    return;
  }
  const drop = () => {
    clearTimeout(timer);
    waiting[role] = waiting[role].filter((each) => each.child !== child);
  };
  const timer = setTimeout(() => {
    child.off('exit', drop);
    drop();
    end(child);
  }, IDLE_MILLISECONDS);
  timer.unref();
  child.once('exit', drop);
  waiting[role].push({ child, timer, drop });
  hold(child, 'unref');
};

export const endIdleChildren = (): void => {
  for (const role of ['read', 'draw'] as const) {
    for (let child = takeIdle(role); child !== undefined; child = takeIdle(role)) end(child);
  }
};

/** Closing the channel makes an idle child exit. */
const end = (child: ChildProcess): void => {
  hold(child, 'unref');
  if (child.connected) child.disconnect();
};

const hold = (child: ChildProcess, how: 'ref' | 'unref'): void => {
  child[how]();
  child.channel?.[how]();
};
