import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Role } from '../messages.ts';

const entry = fileURLToPath(new URL('main.ts', import.meta.url));
/** Limit of the child's resident memory: V8, WASM and libvips together. */
const MAX_RESIDENT_BYTES = 768 * 2 ** 20;
/**
 * Limits of the heap in MB and of WASM in pages of 64 kB. Garbage waits up to 128 MB, and V8 has no background threads:
 * both save a quarter of a child's CPU (docs/decisions/068-children-are-used-again.md).
 */
const FLAGS = [
  '--max-old-space-size=384',
  '--wasm-max-mem-pages=8192',
  '--initial-old-space-size=128',
  '--single-threaded',
  // Without threads the second of V8's two optimizing compilers costs more than it saves.
  '--no-maglev',
  // For the garbage collection after a large file (`main.ts`).
  '--expose-gc',
];

/** Starts a child, which sends "ready" when its modules are loaded. */
export const startChild = (role: Role): ChildProcess => {
  const child = fork(entry, [role, String(process.pid), String(MAX_RESIDENT_BYTES)], {
    // The child inherits neither flags nor the environment, which holds secrets.
    execArgv: FLAGS,
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', ...compileCache() },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'json',
    // Ctrl-C must reach the parent only, which drains. A child ended by it would make a good copy look damaged.
    detached: true,
  });
  // An 'error' event without a listener would end this process, for example that of a job sent to a child that died.
  child.on('error', () => {});
  child.stderr?.setEncoding('utf8').resume();
  // The channel alone keeps this process alive during a job.
  if (child.stderr !== null && 'unref' in child.stderr && typeof child.stderr.unref === 'function') {
    child.stderr.unref();
  }
  return child;
};

/** Passes the compile cache of this process on; without it a third of a child's CPU is compilation. */
const compileCache = (): { NODE_COMPILE_CACHE?: string } => {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
};
