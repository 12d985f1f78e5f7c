import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { Actor } from '@evaluation/platform/signed-actor';
import { openTestDatabase, statementsOf } from '@evaluation/test-services';
import { insertExam } from '../../../test/insertExam.ts';
import { createCandidates } from './createCandidates.ts';
import { registerOnExam } from './registerOnExam.ts';

const clone = await openTestDatabase(4);
const { database } = clone;
const actor: Actor = { institute_id: randomUUID(), key_id: randomUUID(), scopes: [] };

afterEach(() => vi.restoreAllMocks());
afterAll(() => clone.close());

const newExam = () => insertExam(database, actor.institute_id, 'open');

const candidates = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({
    external_id: `${name} ${index}`,
    name: `${name} of ${index}`,
    metadata: { index },
  }));

test('creating or updating 2000 candidates takes as many statements as one candidate', async () => {
  const create = (count: number, name: string) => () =>
    createCandidates({ database }, actor, { candidates: candidates(count, name) });
  // Warm-up: a new connection sends more statements, because it prepares each one at its first use.
  await create(1, 'first')();
  const one = await statementsOf(clone.url, create(1, 'single'));
  expect(one).toBeGreaterThan(1);
  expect(await statementsOf(clone.url, create(2000, 'many'))).toBe(one);
  expect(await statementsOf(clone.url, create(2000, 'many'))).toBe(one);
});

test('registering 2000 candidates takes as many statements as one candidate, in either form, new or not', async () => {
  const [small, large] = [await newExam(), await newExam()];
  const register = (exam: string, body: object) => () => registerOnExam({ database }, actor, exam, body);
  const one = await statementsOf(clone.url, register(small, { candidates: candidates(1, 'described') }));
  const many = { candidates: candidates(2000, 'described') };
  expect(await statementsOf(clone.url, register(large, many))).toBe(one);
  expect(await statementsOf(clone.url, register(large, many))).toBe(one);

  const { candidates: known } = await registerOnExam({ database }, actor, large, many);
  const ids = known.map(({ id }) => id);
  const named = await statementsOf(clone.url, register(small, { candidate_ids: ids.slice(0, 1) }));
  expect(named).toBeLessThanOrEqual(one);
  expect(await statementsOf(clone.url, register(small, { candidate_ids: ids }))).toBe(named);
});
