import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

interface Limits {
  parentPid: number;
  /** Resident memory of this process, all of it. */
  bytes: number;
}

/**
 * Ends this process when its parent has ended, or when it has grown beyond a limit. In a thread, because the main thread
 * may be inside a parser that never returns: it sees neither.
 */
export async function startWatchdog(limits: Limits): Promise<void> {
  // By its text: nothing keeps what a thread compiles, and stripping the types of a file takes longer than the thread.
  const thread = new Worker(`(${watch.toString()})(require('node:worker_threads').workerData)`, {
    eval: true,
    workerData: limits,
  });
  await once(thread, 'online');
  thread.unref();
}

/** The thread's whole program: it sees nothing else of this file. SIGKILL, since nothing else stops WASM or libvips. */
function watch({ parentPid, bytes }: Limits): void {
  setInterval(() => {
    if (process.ppid !== parentPid || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL');
  }, 50);
}
