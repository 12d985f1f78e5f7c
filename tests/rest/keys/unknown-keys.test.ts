import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { answerOf } from '../../harness/api.ts';
import { expectError, newTenant, startIdleService } from '../../harness/tenant.ts';

const service = closedAfterTests(
  await startIdleService({
    UNKNOWN_KEYS_PER_ADDRESS: '20',
    UNKNOWN_KEYS_IN_ALL: '30',
    TRUSTED_PROXIES: '1',
  }),
);
const tenant = await newTenant(service);

const tryKey = async (apiKey: string, address: string) => {
  const headers = { 'x-api-key': apiKey, 'x-forwarded-for': `203.0.113.9, ${address}` };
  return answerOf(await fetch(`${service.baseUrl}/me`, { headers }));
};
const unknownKey = (): string => `aek_${randomBytes(24).toString('hex')}`;
const statuses = async (count: number, address: string): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (let time = 0; time < count; time += 1) {
    const { status } = await tryKey(unknownKey(), address);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};

test('repeated unknown keys are limited by address and in total, and existing keys are not affected', async () => {
  // A known key. KEY_CACHE_SECONDS is 0 here, so each request asks core.
  expect((await tryKey(tenant.api.apiKey, '192.0.2.7')).status).toBe(200);

  const first = await statuses(40, '192.0.2.1');
  expect(first[401]).toBeGreaterThanOrEqual(20);
  expect(first[429]).toBeGreaterThan(0);
  const refused = await tryKey(unknownKey(), '192.0.2.1');
  expectError(refused, 429, 'rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

  // Another address gets the rest of the total.
  const second = await statuses(40, '192.0.2.2');
  expect(second[401]).toBeGreaterThanOrEqual(5);
  expect(second[429]).toBeGreaterThan(0);

  for (let time = 0; time < 50; time += 1) {
    expect((await tryKey(tenant.api.apiKey, '192.0.2.1')).status).toBe(200);
  }
});
