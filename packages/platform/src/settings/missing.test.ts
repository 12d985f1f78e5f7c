import { expect, test } from 'vitest';
import { readCoreSettings } from './index.ts';

const SECRET = 's'.repeat(16);
const complete = {
  DATABASE_URL: 'postgresql://127.0.0.1/evaluation',
  NATS_URL: 'nats://127.0.0.1:4222',
  S3_ENDPOINT: 'http://127.0.0.1:9000',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  CORE_PUBLIC_TOKEN: SECRET,
  CORE_GRADING_TOKEN: SECRET,
  CORE_CONTROL_TOKEN: SECRET,
  ACTOR_SIGNING_KEY: SECRET,
};

const problems = (environment: Record<string, string | undefined>): string[] => {
  try {
    readCoreSettings(environment);
    return [];
  } catch (error) {
    return error instanceof Error
      ? error.message
          .split('\n')
          .slice(1)
          .map((line) => line.trim())
      : [];
  }
};

test('a missing variable is called missing, and each variable has one line', () => {
  expect(problems({ ...complete, DATABASE_URL: undefined, LEASE_SECONDS: 'abc' })).toEqual([
    'DATABASE_URL: is missing',
    'LEASE_SECONDS: a whole number',
  ]);
});

test('the keys of the object store are needed, unless the pod has an identity', () => {
  const { S3_ACCESS_KEY_ID: _, ...withoutKey } = complete;
  expect(problems(withoutKey)).toEqual(['S3_ACCESS_KEY_ID: is missing']);
  const { S3_SECRET_ACCESS_KEY: __, ...withoutKeys } = withoutKey;
  expect(problems({ ...withoutKeys, S3_POD_IDENTITY: 'true' })).toEqual([]);
  expect(problems({ ...complete, S3_POD_IDENTITY: 'true' })).toEqual([
    'S3_ACCESS_KEY_ID: remove it, or set S3_POD_IDENTITY=false',
    'S3_SECRET_ACCESS_KEY: remove it, or set S3_POD_IDENTITY=false',
  ]);
});
