import { startPostgres } from '@evaluation/embedded';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Run `work` with an embedded PostgreSQL that exists for it only. */
export async function withServer<T>(work: (superuserUrl: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'schema-'));
  try {
    // The server runs under another account where we are root.
    await chmod(folder, 0o711);
    const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
    try {
      return await work(server.superuserUrl);
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
