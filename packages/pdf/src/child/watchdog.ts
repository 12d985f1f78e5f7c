import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

interface Limits {
  parentPid: number;
  /** Resident memory. */
  bytes: number;
}

/** Ends this process when its parent has ended or its memory exceeds a limit. A thread, since parsers may block. */
export const startWatchdog = async (limits: Limits): Promise<void> => {
  // The thread is started from the function's text: compile caches do not cover threads, and stripping the types of a
  // file takes longer than the thread's own start.
  const thread = new Worker(`(${watch.toString()})(require('node:worker_threads').workerData)`, {
    eval: true,
    workerData: limits,
  });
  await once(thread, 'online');
  thread.unref();
};

/** The thread's program; it has no access to other names of this file. Only SIGKILL stops WASM and libvips. */
const watch = ({ parentPid, bytes }: Limits): void => {
  setInterval(() => {
    if (process.ppid !== parentPid || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL');
  }, 50);
};
