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

test('teams with wrong fields, or a key that another holder has, are refused without a word of the value', () => {
  const team = { name: 'results', keys: ['k'.repeat(16)], institutes: 'all', roles: ['examiner'] };
  const refused = (...teams: unknown[]) =>
    problems({ ...complete, TEAM_SIGNING_KEYS: JSON.stringify(teams) });
  expect(refused(team, { ...team, name: 'timetable', keys: ['l'.repeat(16), 'm'.repeat(16)] })).toEqual([]);
  expect(problems({ ...complete, TEAM_SIGNING_KEYS: 'k'.repeat(16) })).toEqual([
    'TEAM_SIGNING_KEYS: a JSON list of teams',
  ]);
  expect(refused({ ...team, keys: ['short'] })).toEqual(['TEAM_SIGNING_KEYS: at least 16 characters']);
  expect(refused({ ...team, institutes: ['all'] })).toEqual([
    'TEAM_SIGNING_KEYS: "all", or a list of ids of institutes',
  ]);
  expect(refused({ ...team, institute: 'all' })).toHaveLength(1);
  expect(refused({ ...team, roles: ['operator'] })).toHaveLength(1);
  expect(refused(team, { ...team, keys: ['l'.repeat(16)] })).toEqual([
    'TEAM_SIGNING_KEYS: each team needs a name of its own',
  ]);
  const ownKey = 'TEAM_SIGNING_KEYS: each team needs a key of its own';
  expect(refused(team, { ...team, name: 'timetable' })).toEqual([ownKey]);
  expect(refused({ ...team, keys: [SECRET] })).toEqual([ownKey]);
});
