import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

interface Limits {
  parentPid: number;
  /** Resident memory. */
  bytes: number;
}

interface Watchdog {
  /** Looks 20 times a second during a job, and once a second while the process is idle and its memory cannot grow. */
  watch(what: 'job' | 'idle'): void;
}

/** Milliseconds between two looks. */
const PAUSES = { job: 50, idle: 1000 };

/**
 * Ends this process when its parent has ended or its memory exceeds a limit. Runs in a thread, because parsers may
 * block. Looks at first as often as during a job.
 */
export const startWatchdog = async (limits: Limits): Promise<Watchdog> => {
  const pause = new Int32Array(new SharedArrayBuffer(4)).fill(PAUSES.job);
  // The thread is started from the function's text: compile caches do not cover threads, and stripping the types of a
  // file takes longer than the thread's own start.
  const thread = new Worker(`(${look.toString()})(require('node:worker_threads').workerData)`, {
    eval: true,
    workerData: { ...limits, pause },
  });
  await once(thread, 'online');
  thread.unref();
  return {
    watch: (what) => {
      Atomics.store(pause, 0, PAUSES[what]);
      Atomics.notify(pause, 0);
    },
  };
};

/**
 * The thread's program; it has no access to other names of this file. Only SIGKILL stops WASM and libvips. It waits
 * without an event loop, which would cost more than the look.
 */
const look = ({ parentPid, bytes, pause }: Limits & { pause: Int32Array<SharedArrayBuffer> }): void => {
  for (;;) {
    if (process.ppid !== parentPid || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL');
    const milliseconds = Atomics.load(pause, 0);
    // Returns early when the pause changes.
    Atomics.wait(pause, 0, milliseconds, milliseconds);
  }
};
