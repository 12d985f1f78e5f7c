/** The backing servers of a benchmark: one durable PostgreSQL for the service and its peers, NATS, S3 and a model. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { deploy } from '@evaluation/database';
import { startNats, startPostgres, startS3 } from '@evaluation/embedded';
import { startModelServer, type ModelServer } from '@evaluation/test-services/model';

export interface Servers {
  folder: string;
  postgresPid: number;
  natsUrl: string;
  s3: { endpoint: string; accessKeyId: string; secretAccessKey: string };
  model: ModelServer;
  /** Creates a database: with the service's tables, or empty for a peer. */
  newDatabase(kind: 'service' | 'empty'): Promise<BenchDatabase>;
  close(): Promise<void>;
}

export interface BenchDatabase {
  name: string;
  /** Connects as the service's role, which owns the database and is subject to row-level security. */
  url: string;
  /** Connects as superuser. */
  superuserUrl: string;
  /** A superuser's connection of the benchmark, to read and fill tables. */
  observer: pg.Client;
  drop(): Promise<void>;
}

const TEMPLATE = 'bench_template';

export const startServers = async (): Promise<Servers> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const stopping: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const stop of stopping.splice(0).toReversed()) await stop();
  };
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
    stopping.push(() => postgres.close());
    const nats = await startNats({ dataDir: join(folder, 'nats') });
    stopping.push(() => nats.close());
    const s3 = await startS3({ dataDir: join(folder, 's3') });
    stopping.push(() => s3.close());
    const model = await startModelServer();
    stopping.push(() => model.close());

    const admin = new pg.Client({ connectionString: postgres.superuserUrl });
    await admin.connect();
    stopping.push(() => admin.end());
    const owner = decodeURIComponent(new URL(postgres.url).username);
    await admin.query(`create database ${TEMPLATE} owner ${owner}`);
    await deploy(inDatabase(postgres.url, TEMPLATE));

    let made = 0;
    return {
      folder,
      postgresPid: postgres.pid,
      natsUrl: nats.url,
      s3,
      model,
      newDatabase: async (kind) => {
        made += 1;
        const name = `bench_${made}`;
        await admin.query(
          `create database ${name} template ${kind === 'service' ? TEMPLATE : 'template1'} owner ${owner}`,
        );
        const superuserUrl = inDatabase(postgres.superuserUrl, name);
        const observer = new pg.Client({ connectionString: superuserUrl });
        // Stopping the servers ends this connection. That error is ignored, because the cause of the stop is reported.
        observer.on('error', () => {});
        await observer.connect();
        return {
          name,
          url: inDatabase(postgres.url, name),
          superuserUrl,
          observer,
          drop: async () => {
            await observer.end();
            await admin.query(`drop database ${name} with (force)`);
          },
        };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const inDatabase = (url: string, name: string): string => {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
};
