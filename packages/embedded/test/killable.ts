/** Test helpers: fresh folders, and a killable Node process that runs a service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A folder that PostgreSQL's account may enter. The caller removes it. */
export const freshFolder = async (): Promise<{ path: string; remove(): Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'embedded-'));
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
};

interface Killable {
  pid: number;
  /** Resolves with the rest of the next line that begins with `beginning`. */
  line(beginning: string): Promise<string>;
  kill(): Promise<void>;
}

/** Runs runner.ts as leader of a process group, like a command in a terminal. */
export const runService = (service: 'postgres' | 'nats', dataDir: string): Killable => {
  const runner = fileURLToPath(new URL('./runner.ts', import.meta.url));
  const child = spawn(process.execPath, [runner, service, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen: string[] = [];
  const lines = createInterface(child.stdout).on('line', (text) => seen.push(text));
  const dead = once(child, 'exit');
  return {
    pid: child.pid ?? -1,
    line: async (beginning) => {
      for (;;) {
        const index = seen.findIndex((text) => text.startsWith(beginning));
        const found = seen[index];
        if (found !== undefined) {
          seen.splice(0, index + 1);
          return found.slice(beginning.length);
        }
        await Promise.race([
          once(lines, 'line'),
          dead.then(() => Promise.reject(new Error(`ended before "${beginning}"`))),
        ]);
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await dead;
    },
  };
};

export const accepts = async (url: string): Promise<boolean> => {
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};
