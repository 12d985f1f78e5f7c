import { startS3 } from '@evaluation/embedded';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { GenericContainer, Wait } from 'testcontainers';
import { makeTemplate } from '../database/template.ts';
import type { StartedServices } from '../startedServices.ts';

const POSTGRES_PORT = 5432;
const NATS_PORT = 4222;
const ROLE = 'answer_evaluation';

/** PostgreSQL and NATS in the images of production; needs a Docker engine. The object store is the embedded one. */
export const startContainerServices = async (): Promise<StartedServices> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const password = randomBytes(16).toString('hex');
    const postgres = await new GenericContainer('postgres:17')
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'])
      .withTmpFs({ '/var/lib/postgresql/data': 'rw' })
      .withExposedPorts(POSTGRES_PORT)
      // The initialising server prints the line first, then the final one.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .start();
    closers.push(() => postgres.stop());
    const address = `${postgres.getHost()}:${postgres.getMappedPort(POSTGRES_PORT)}`;
    const superuserUrl = `postgresql://postgres:${password}@${address}/postgres`;
    const url = `postgresql://${ROLE}:${password}@${address}/${ROLE}`;
    await createRole(superuserUrl, password);
    const template = await makeTemplate({ superuserUrl, url });

    const nats = await new GenericContainer('nats:2.12')
      .withCommand(['-js'])
      .withExposedPorts(NATS_PORT)
      .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
      .start();
    closers.push(() => nats.stop());

    const natsUrl = `nats://${nats.getHost()}:${nats.getMappedPort(NATS_PORT)}`;

    const folder = await mkdtemp(join(tmpdir(), 'evaluation-s3-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const { endpoint, region, accessKeyId, secretAccessKey, ...s3 } = await startS3({ dataDir: folder });
    closers.push(() => s3.close());

    return {
      services: {
        postgres: { superuserUrl, url, template },
        nats: { url: natsUrl, urls: { core: natsUrl, facade: natsUrl, worker: natsUrl } },
        s3: { endpoint, region, accessKeyId, secretAccessKey },
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Creates the service's role and database, which the embedded server has from its start. */
const createRole = async (superuserUrl: string, password: string): Promise<void> => {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(
      `CREATE ROLE ${ROLE} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD ${pg.escapeLiteral(password)}`,
    );
    await client.query(`CREATE DATABASE ${ROLE} OWNER ${ROLE}`);
  } finally {
    await client.end();
  }
};
