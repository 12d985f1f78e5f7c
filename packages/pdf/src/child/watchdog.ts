import { workerData } from 'node:worker_threads';
import { z } from 'zod/v4';

// A thread of the child process, because the main thread may be inside a parser that never returns: it sees neither the
// parent's end nor its own size. SIGKILL, since nothing else stops a process in WASM or libvips.

const { parentPid, maxResidentBytes } = z
  .object({ parentPid: z.int(), maxResidentBytes: z.int() })
  .parse(workerData);

setInterval(() => {
  if (process.ppid !== parentPid || process.memoryUsage.rss() > maxResidentBytes) {
    process.kill(process.pid, 'SIGKILL');
  }
}, 50);
