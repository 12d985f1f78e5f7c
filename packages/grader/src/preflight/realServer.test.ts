import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrader } from '../createGrader.ts';
import type { Grader } from '../grader.ts';
import { optionsFor } from '../../test/requests.ts';

/*
 * A preflight of a real server: llama.cpp with a text model and a context of 8,192 tokens, as started by
 * tests/model-server/llama_cpp.py. Skipped unless TEST_MODEL_SERVER has its address.
 */

const ADDRESS = process.env['TEST_MODEL_SERVER'] ?? '';
const KEY = 'K';
const MINUTES = 60_000;

let grader: Grader;
beforeAll(async () => {
  grader = await graderWith(KEY);
});
afterAll(() => grader.close());

const graderWith = (apiKey: string): Promise<Grader> =>
  createGrader({ ...optionsFor(ADDRESS || 'http://127.0.0.1:9/v1'), apiKey, callTimeoutSeconds: 300 });
const failureOf = async (asked: Grader, vision: boolean, contextCharacters: number) =>
  (await asked.preflight({ vision, contextCharacters }, new AbortController().signal)).failed;

test.runIf(ADDRESS)(
  'it follows the schema, and refuses pictures with 500',
  { timeout: 5 * MINUTES },
  async () => {
    expect(await failureOf(grader, true, 1500)).toMatchObject({
      reason: 'pictures_refused',
      detail: { status: 500 },
    });
  },
);

test.runIf(ADDRESS)('it refuses a text longer than its context', { timeout: 5 * MINUTES }, async () => {
  expect(await failureOf(grader, false, 60_000)).toMatchObject({
    reason: 'context_refused',
    detail: { status: 400 },
  });
});

test.runIf(ADDRESS)('it refuses a wrong key', { timeout: 5 * MINUTES }, async () => {
  const stranger = await graderWith('another');
  expect(await failureOf(stranger, false, 1500)).toMatchObject({
    reason: 'refused',
    detail: { status: 401 },
  });
  await stranger.close();
});
