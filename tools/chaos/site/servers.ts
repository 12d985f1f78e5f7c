import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { deploy } from '@evaluation/database';
import { startNats, startPostgres, startS3 } from '@evaluation/embedded';
import { COMPONENTS, permissionsText } from '@evaluation/jobs-contract';
import { startModelServer, type ModelServer } from '@evaluation/test-services/model';
import { startLink, type Link } from '../../../tests/harness/link.ts';
import { startStoreProxy, type StoreProxy } from '../../../tests/harness/storeProxy.ts';
import type { App, LinkName } from '../plan/plan.ts';
import { openObserver, type Observer } from './observer.ts';

/** PostgreSQL with durable commits, nats-server, the object store and the model, each behind a link. */
export interface Servers {
  folder: string;
  links: Record<Exclude<LinkName, Exclude<App, 'worker'>>, Link>;
  observer: Observer;
  /** Address of the service's role, past the link. */
  databaseUrl: string;
  model: ModelServer;
  store: StoreProxy;
  /** Settings of the service's programs that name these servers. */
  environment: Record<string, string>;
  natsUrlOf(app: App): string;
  deleteStreams(): Promise<void>;
  killPostgres(): Promise<void>;
  emptyNats(): Promise<void>;
  close(): Promise<void>;
}

const NAMESPACE = 'chaos';

/** @param migrated false: the database stays empty, for migrations of another release */
export const startServers = async (migrated = true): Promise<Servers> => {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    // As root, PostgreSQL runs as another account, which must be able to enter the folder.
    await chmod(folder, 0o711);
    const postgresOptions = { dataDir: join(folder, 'postgres'), durable: true };
    const natsOptions = {
      dataDir: join(folder, 'nats'),
      users: Object.fromEntries(COMPONENTS.map((name) => [name, permissionsText(name, '*')])),
    };
    let postgres = await startPostgres(postgresOptions);
    closers.push(() => postgres.close());
    let nats = await startNats(natsOptions);
    closers.push(() => nats.close());
    const s3 = await startS3({ dataDir: join(folder, 's3') });
    closers.push(() => s3.close());
    const store = await startStoreProxy(s3.endpoint, false);
    closers.push(() => store.close());
    const model = await startModelServer();
    closers.push(() => model.close());
    const linkTo = async (port: number): Promise<Link> => {
      const link = await startLink(port);
      closers.push(() => link.close());
      return link;
    };
    const links = {
      postgres: await linkTo(postgres.port),
      nats: await linkTo(portOf(nats.url)),
      s3: await linkTo(portOf(store.endpoint)),
      model: await linkTo(portOf(model.baseUrl)),
    };
    if (migrated) await deploy(postgres.url);
    // The observer's link is never broken by a fault.
    const observing = await linkTo(postgres.port);
    const { pathname } = new URL(postgres.url);
    const observer = openObserver(through(inDatabase(postgres.superuserUrl, pathname), observing));
    closers.push(() => observer.close());

    /** Restarts follow each other: a second fault must find a server that runs. */
    let restarting: Promise<void> = Promise.resolve();
    const afterRestarts = (restart: () => Promise<void>): Promise<void> => {
      restarting = restarting.catch(() => {}).then(restart);
      return restarting;
    };

    return {
      folder,
      links,
      observer,
      databaseUrl: postgres.url,
      model,
      store,
      environment: {
        DATABASE_URL: through(postgres.url, links.postgres),
        LANE_NAMESPACE: NAMESPACE,
        S3_ENDPOINT: through(s3.endpoint, links.s3).replace(/\/$/, ''),
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        S3_BUCKET: 'chaos',
        GRADER: 'openai',
        OPENAI_BASE_URL: through(model.baseUrl, links.model),
        OPENAI_API_KEY: 'not-a-key',
      },
      // The desk has the NATS user of the facade.
      natsUrlOf: (app) => through(nats.urlFor(app === 'desk' ? 'facade' : app), links.nats),
      deleteStreams: () => afterRestarts(() => deleteStreams(nats.url)),
      killPostgres: () =>
        afterRestarts(async () => {
          process.kill(postgres.pid, 'SIGKILL');
          await postgres.close();
          postgres = await startPostgres(postgresOptions);
          links.postgres.retarget(postgres.port);
          observing.retarget(postgres.port);
        }),
      emptyNats: () =>
        afterRestarts(async () => {
          await nats.close();
          await rm(join(natsOptions.dataDir, 'jetstream'), { recursive: true, force: true });
          nats = await startNats(natsOptions);
          links.nats.retarget(portOf(nats.url));
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const deleteStreams = async (natsUrl: string): Promise<void> => {
  const { host, username, password } = new URL(natsUrl);
  const connection = await connect({ servers: host, user: username, pass: decodeURIComponent(password) });
  try {
    const manager = await jetstreamManager(connection);
    for (const name of await manager.streams.names().next()) await manager.streams.delete(name);
  } finally {
    await connection.close();
  }
};

const portOf = (url: string): number => Number(new URL(url).port);

const through = (url: string, link: Link): string => {
  const linked = new URL(url);
  linked.port = String(link.port);
  return linked.href;
};

const inDatabase = (url: string, pathname: string): string => {
  const own = new URL(url);
  own.pathname = pathname;
  return own.href;
};
