import { startCore, type Core } from '@evaluation/core';
import { coreOverHttp } from '@evaluation/core-client';
import { objectStore } from '@evaluation/object-store';
import { readCoreSettings } from '@evaluation/platform/settings';
import { afterEach, expect, test } from 'vitest';
import { startBalancer, type Balancer } from '../harness/balancer.ts';
import { startLink, type Link } from '../harness/link.ts';
import { eventually } from '../harness/ledger.ts';
import { newEnvironment } from '../harness/service.ts';
import { natsOf } from './nats.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
const keep = <T extends { close(): Promise<void> }>(opened: T): T => {
  closing.push(() => opened.close());
  return opened;
};

const TOKEN = 'a control token of the test';
const SECRETS = {
  CORE_PUBLIC_TOKEN: 'a public token of the test',
  CORE_GRADING_TOKEN: 'a grading token of the test',
  CORE_CONTROL_TOKEN: TOKEN,
  ACTOR_SIGNING_KEY: 'a signing key of the test',
  LINGER_SECONDS: '0',
};

test('core starts while NATS and the object store are down, answers, and creates streams and bucket once they are back', async () => {
  const { environment, drop } = await newEnvironment();
  closing.push(drop);
  const nats: Balancer = keep(await startBalancer());
  const store: Balancer = keep(await startBalancer());
  const natsUrl = new URL(environment['NATS_URL'] ?? '');
  natsUrl.host = new URL(nats.url).host;
  const bucket = `${environment['S3_BUCKET']}-new`;
  const core: Core = keep(
    await startCore(
      readCoreSettings({
        ...environment,
        NATS_URL: natsUrl.href,
        S3_ENDPOINT: store.url,
        S3_BUCKET: bucket,
        ...SECRETS,
      }),
    ),
  );
  const control = keep(coreOverHttp({ url: core.url, token: TOKEN }));
  await control.ping();
  const made = await control.as({}).control.createInstitute.mutate({ name: 'Early School', credits: 1 });
  expect(made.institute_id).toMatch(/^[0-9a-f-]{36}$/);

  nats.add(environment['NATS_URL'] ?? '');
  store.add(environment['S3_ENDPOINT'] ?? '');
  const objects = objectStore({
    endpoint: environment['S3_ENDPOINT'] ?? '',
    region: 'us-east-1',
    bucket,
    accessKeyId: environment['S3_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['S3_SECRET_ACCESS_KEY'] ?? '',
  });
  closing.push(async () => objects.close());
  await eventually('the bucket', () =>
    objects.put('a', Buffer.from('a'), 'text/plain').then(
      () => true,
      () => false,
    ),
  );
  const own = keep(await natsOf(environment));
  await eventually('the streams', async () => {
    const name = `${environment['LANE_NAMESPACE']}_draw`;
    const answer = await own.request(`$JS.API.STREAM.INFO.${name}`);
    return answer.json<{ error?: unknown }>().error === undefined;
  });
});

test('core that starts while PostgreSQL resets its connections answers once PostgreSQL is back', async () => {
  const { environment, drop } = await newEnvironment();
  closing.push(drop);
  const databaseUrl = new URL(environment['DATABASE_URL'] ?? '');
  const link: Link = keep(await startLink(Number(databaseUrl.port)));
  databaseUrl.port = String(link.port);
  link.drop();
  const starting = startCore(
    readCoreSettings({ ...environment, ...SECRETS, DATABASE_URL: databaseUrl.href, LOG_LEVEL: 'silent' }),
  );
  await eventually('a reset connection', () => Promise.resolve(link.refused() > 0));
  link.restore();
  const core: Core = keep(await starting);
  await keep(coreOverHttp({ url: core.url, token: TOKEN })).ping();
});
