import { startPostgres } from '@evaluation/embedded';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const withServer = async <T>(work: (superuserUrl: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'schema-'));
  try {
    // As root, PostgreSQL runs as another account, which must be able to enter the folder.
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
};
