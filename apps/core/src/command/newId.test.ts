import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isUuid } from './accept.ts';
import { newId } from './newId.ts';

test('an id of a later millisecond sorts behind all earlier ids', async () => {
  const earlier = Array.from({ length: 1000 }, newId);
  const now = Date.now();
  while (Date.now() === now) await wait(1);
  const later = newId();
  expect(earlier.every((id) => id < later)).toBe(true);
  expect(new Set(earlier).size).toBe(1000);
  expect([...earlier, later].every(isUuid)).toBe(true);
});
