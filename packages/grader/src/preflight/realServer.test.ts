import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrader } from '../createGrader.ts';
import type { Grader } from '../grader.ts';
import { optionsFor } from '../openai/fixtures.ts';

/*
 * A preflight of a server that others wrote: llama.cpp with a model of text alone and a context of 8,192 tokens, as
 * tests/model-server/llama_cpp.py brings it up. Skipped unless TEST_MODEL_SERVER names its address.
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
  'it keeps the schema, and answers pictures with 500: it takes none',
  { timeout: 5 * MINUTES },
  async () => {
    expect(await failureOf(grader, true, 1500)).toMatchObject({
      reason: 'pictures_refused',
      detail: { status: 500 },
    });
  },
);

test.runIf(ADDRESS)(
  'it refuses a text that is longer than its context',
  { timeout: 5 * MINUTES },
  async () => {
    expect(await failureOf(grader, false, 60_000)).toMatchObject({
      reason: 'context_refused',
      detail: { status: 400 },
    });
  },
);

test.runIf(ADDRESS)('it refuses a wrong key', { timeout: 5 * MINUTES }, async () => {
  const stranger = await graderWith('another');
  expect(await failureOf(stranger, false, 1500)).toMatchObject({
    reason: 'refused',
    detail: { status: 401 },
  });
  await stranger.close();
});
