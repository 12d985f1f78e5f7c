import { expect, test } from 'vitest';
import { readClientSettings, readCoreSettings, readFacadeSettings, readWorkerSettings } from './index.ts';

const NEW = 'n'.repeat(16);
const OLD = 'o'.repeat(16);

const environment = (secret: string) => ({
  DATABASE_URL: 'postgresql://127.0.0.1/evaluation',
  NATS_URL: 'nats://127.0.0.1:4222',
  S3_ENDPOINT: 'http://127.0.0.1:9000',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  CORE_URL: 'http://127.0.0.1:8081',
  CORE_PUBLIC_TOKEN: secret,
  CORE_GRADING_TOKEN: secret,
  CORE_CONTROL_TOKEN: secret,
  ACTOR_SIGNING_KEY: secret,
});

test('core accepts both entries of a rotated secret, and its callers send the first', () => {
  const rotating = environment(`${NEW}, ${OLD}`);
  const core = readCoreSettings(rotating);
  const both = [NEW, OLD];
  expect(core.tokens).toEqual({ public: both, grading: both, control: both });
  expect(core.actorSigningKeys).toEqual(both);
  expect(readFacadeSettings(rotating).core).toMatchObject({ token: NEW, actorSigningKey: NEW });
  expect(readWorkerSettings(rotating).core).toMatchObject({ token: NEW });
  expect(readClientSettings(rotating)).toMatchObject({ controlToken: NEW });
});

test.each([`${NEW},`, `,${OLD}`, `${NEW},short`, `${NEW},${OLD},${'p'.repeat(16)}`])(
  'an invalid list of secrets is refused: %s',
  (secret) => {
    expect(() => readCoreSettings(environment(secret))).toThrow('CORE_PUBLIC_TOKEN');
  },
);
