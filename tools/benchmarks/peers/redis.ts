/** A Redis-compatible server for BullMQ: `redis-server` or `valkey-server` of this machine. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from '../../../tests/harness/processes.ts';

interface RedisServer {
  url: string;
  pid: number;
  close(): void;
}

const NAMES = ['redis-server', 'valkey-server'];

export const pathOf = async (names: readonly string[]): Promise<string | null> => {
  for (const name of names) {
    const found = await promisify(execFile)('sh', ['-c', `command -v ${name}`]).catch(() => null);
    if (found !== null) return found.stdout.trim();
  }
  return null;
};

/** Starts a server that fsyncs each change, as PostgreSQL fsyncs each commit. @returns null if there is none */
export const startRedis = async (folder: string): Promise<RedisServer | null> => {
  const program = await pathOf(NAMES);
  if (program === null) return null;
  const port = await freePort();
  const dir = await mkdtemp(join(folder, 'redis-'));
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', ''];
  const child = spawn(program, [...options, '--appendonly', 'yes', '--appendfsync', 'always'], {
    stdio: 'ignore',
  });
  const { pid } = child;
  if (pid === undefined) return null;
  const client = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => {});
  while ((await client.ping().catch(() => null)) !== 'PONG') await wait(50);
  client.disconnect();
  return { url: `redis://127.0.0.1:${port}`, pid, close: () => void child.kill('SIGKILL') };
};
