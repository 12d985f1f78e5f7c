import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '@evaluation/database';
import type { Actor } from '@evaluation/signed-actor';
import { openTestDatabase, type TestDatabase, statementsOf } from '@evaluation/test-services';
import { createCandidates } from './createCandidates.ts';
import { registerOnExam } from './registerOnExam.ts';

let clone: TestDatabase;
let database: Database;
const actor: Actor = { institute_id: randomUUID(), key_id: randomUUID(), scopes: [] };

beforeAll(async () => {
  clone = await openTestDatabase(4);
  ({ database } = clone);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => clone.close());

const newExam = async (): Promise<string> => {
  const id = randomUUID();
  await database.inTenant(actor.institute_id, (tx) =>
    tx
      .insertInto('exams')
      .values({
        id,
        institute_id: actor.institute_id,
        title: 'Unit test',
        mode: 'typed',
        status: 'open',
        conducted_on: '2026-02-14',
        level: 'school',
        answer_language: 'en',
        feedback_language: 'en',
        blind: false,
      })
      .execute(),
  );
  return id;
};

const candidates = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({
    external_id: `${name} ${index}`,
    name: `${name} of ${index}`,
    metadata: { index },
  }));

test('as many statements create or update 2000 candidates as one', async () => {
  const create = (count: number, name: string) => () =>
    createCandidates({ database }, actor, { candidates: candidates(count, name) });
  // A new connection prepares its statements one by one.
  await create(1, 'first')();
  const one = await statementsOf(clone.url, create(1, 'single'));
  expect(one).toBeGreaterThan(1);
  expect(await statementsOf(clone.url, create(2000, 'many'))).toBe(one);
  expect(await statementsOf(clone.url, create(2000, 'many'))).toBe(one);
});

test('as many statements register 2000 candidates as one, in either form, new or not', async () => {
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
