import { startNats, startPostgres, startS3 } from '@evaluation/embedded';
import { COMPONENTS, permissionsText } from '@evaluation/jobs-contract';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplate } from '../database/template.ts';
import type { StartedServices } from '../startedServices.ts';

const FOLDER_PREFIX = 'evaluation-tests-';

/** Starts all services as local processes in a fresh temporary folder; needs only npm packages. */
export const startEmbeddedServices = async (): Promise<StartedServices> => {
  await endLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    // As root, PostgreSQL runs as another account, which must be able to enter the folder.
    await chmod(folder, 0o711);
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
    closers.push(() => postgres.close());
    const template = await makeTemplate(postgres);
    const nats = await startNats({
      dataDir: join(folder, 'nats'),
      users: Object.fromEntries(COMPONENTS.map((component) => [component, permissionsText(component, '*')])),
    });
    closers.push(() => nats.close());
    const { endpoint, region, accessKeyId, secretAccessKey, ...s3 } = await startS3({
      dataDir: join(folder, 's3'),
    });
    closers.push(() => s3.close());
    const { superuserUrl, url } = postgres;
    return {
      services: {
        postgres: { superuserUrl, url, template },
        nats: {
          url: nats.url,
          urls: { core: nats.urlFor('core'), facade: nats.urlFor('facade'), worker: nats.urlFor('worker') },
        },
        s3: { endpoint, region, accessKeyId, secretAccessKey },
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Ends servers of killed test runs, whose folders are named by pid: a start takes the server over, then closes it. */
const endLeftovers = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(FOLDER_PREFIX)
      ? Number.parseInt(name.slice(FOLDER_PREFIX.length), 10)
      : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const folder = join(tmpdir(), name);
    try {
      await (await startPostgres({ dataDir: join(folder, 'postgres'), durable: false })).close();
      await (await startNats({ dataDir: join(folder, 'nats') })).close();
    } catch {
      // Skip folders that another run is cleaning, or that belong to another user or are damaged.
      continue;
    }
    await rm(folder, { recursive: true, force: true });
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
