import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { lookUpLimits } from '@evaluation/platform/client-limits';
import { knownKeys, type AuthenticatedKey } from './knownKeys.ts';

const newApiKey = () => `aek_${randomBytes(24).toString('hex')}`;

const found = (change: Partial<AuthenticatedKey> = {}): AuthenticatedKey => ({
  key_id: 'key',
  institute_id: 'institute',
  scopes: [],
  rate_tier: 'standard',
  expires_at: null,
  api_enabled: true,
  ...change,
});

/** Key cache whose look-ups stay open until the test answers them. */
const asked = (seconds = 30, perMinute = 1000) => {
  const questions: { hash: string; answer: (key: AuthenticatedKey | null) => void }[] = [];
  const keys = knownKeys({
    lookUp: (hash) => new Promise((answer) => questions.push({ hash, answer })),
    seconds,
    limits: lookUpLimits({ address: perMinute, all: perMinute }),
  });
  return { keys, questions };
};

/** Looks a key up, with core answering at once. @returns whether core was called */
const wasAsked = async ({ keys, questions }: ReturnType<typeof asked>, apiKey: string): Promise<boolean> => {
  const before = questions.length;
  const answer = keys.find(apiKey, 'request', 'address');
  const isAsked = questions.length > before;
  questions.at(-1)?.answer(found());
  await answer;
  return isAsked;
};

test('a key that was found is looked up once, a key that was not found each time', async () => {
  const core = asked();
  const apiKey = newApiKey();
  expect([await wasAsked(core, apiKey), await wasAsked(core, apiKey)]).toEqual([true, false]);
  const unknown = newApiKey();
  for (let time = 0; time < 2; time += 1) {
    const answer = core.keys.find(unknown, 'request', 'address');
    core.questions.at(-1)?.answer(null);
    expect(await answer).toBeNull();
  }
  expect(core.questions).toHaveLength(3);
});

test('core receives the hash of a key and never the key', async () => {
  const core = asked();
  const apiKey = newApiKey();
  await wasAsked(core, apiKey);
  expect(core.questions.map(({ hash }) => hash)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(core.questions[0]?.hash).not.toContain(apiKey.slice(-48));
});

test.each([
  ['of this key', { institute_id: 'institute', key_id: 'key' }, true],
  ['of its institute', { institute_id: 'institute' }, true],
  ['of another key', { institute_id: 'institute', key_id: 'other' }, false],
  ['of another institute', { institute_id: 'other' }, false],
])('after a change %s the key is looked up again only if it is concerned', async (_what, changed, again) => {
  const core = asked();
  const apiKey = newApiKey();
  await wasAsked(core, apiKey);
  core.keys.forget(changed);
  expect(await wasAsked(core, apiKey)).toBe(again);
});

test('the answer to a look-up that was under way when the key changed is not cached', async () => {
  const core = asked();
  const apiKey = newApiKey();
  const stale = core.keys.find(apiKey, 'request', 'address');
  core.keys.forget({ institute_id: 'institute', key_id: 'key' });
  core.questions[0]?.answer(found());
  expect(await stale).not.toBeNull();
  const next = core.keys.find(apiKey, 'request', 'address');
  expect(core.questions).toHaveLength(2);
  core.questions[1]?.answer(null);
  expect(await next).toBeNull();
});

test('the time that a key is cached counts from the look-up, not from a late answer', async () => {
  const core = asked(0.05);
  const apiKey = newApiKey();
  const slow = core.keys.find(apiKey, 'request', 'address');
  const asking = performance.now();
  await expect.poll(() => performance.now() - asking, { interval: 10 }).toBeGreaterThan(60);
  core.questions[0]?.answer(found());
  await slow;
  expect(await wasAsked(core, apiKey)).toBe(true);
});

test('a text that does not have the form of a key is not looked up', async () => {
  const { keys, questions } = asked();
  const hex = randomBytes(24).toString('hex');
  for (const apiKey of [
    '',
    hex,
    `aek_${hex.slice(1)}`,
    `äek_${hex}`,
    `aek_${hex}\n`,
    `aek_${'x'.repeat(1e5)}`,
  ])
    expect(await keys.find(apiKey, 'request', 'address')).toBeNull();
  expect(questions).toHaveLength(0);
});

test('look-ups of unknown keys are limited, and known keys are still looked up', async () => {
  const core = asked(0, 3);
  const existing = newApiKey();
  await wasAsked(core, existing);
  for (let time = 0; time < 3; time += 1) {
    const answer = core.keys.find(newApiKey(), 'request', 'address');
    core.questions.at(-1)?.answer(null);
    expect(await answer).toBeNull();
  }
  const before = core.questions.length;
  expect(await core.keys.find(newApiKey(), 'request', 'address')).toEqual({ retryAfterSeconds: 20 });
  expect(core.questions).toHaveLength(before);
  expect(await wasAsked(core, existing)).toBe(true);
});

test('a revoked key counts as unknown', async () => {
  const core = asked(0, 1);
  const revoked = newApiKey();
  await wasAsked(core, revoked);
  for (let time = 0; time < 2; time += 1) {
    const answer = core.keys.find(revoked, 'request', 'address');
    core.questions.at(-1)?.answer(null);
    expect(await answer).toBeNull();
  }
  expect(await core.keys.find(revoked, 'request', 'address')).toEqual({ retryAfterSeconds: 60 });
});
