import { closedAfterTests, startModelServer, type Behaviour } from '@evaluation/test-services';
import { beforeEach, expect, test } from 'vitest';
import { createGrader } from '../createGrader.ts';
import { optionsFor } from '../../test/requests.ts';

/* Results of a preflight for servers with behaviours seen in practice. */

const server = closedAfterTests(await startModelServer());
const grader = closedAfterTests(await createGrader({ ...optionsFor(server.baseUrl), callTimeoutSeconds: 2 }));
beforeEach(() => server.reset());

const check = async (vision = true, contextCharacters = 24_000) => {
  const { steps, failed, usage } = await grader.preflight(
    { vision, contextCharacters },
    new AbortController().signal,
  );
  return {
    outcomes: steps.map((step) => `${step.check} ${step.outcome}`),
    reason: failed?.reason ?? null,
    detail: failed?.detail,
    calls: usage.calls,
  };
};
const names = () => server.calls.map(({ schemaName }) => schemaName);

test('an endpoint with vision and a long context passes each check with one call', async () => {
  expect(await check()).toMatchObject({
    outcomes: ['endpoint passed', 'schema passed', 'vision passed', 'context passed'],
    reason: null,
    calls: 3,
  });
  expect(names()).toEqual(['preflight_schema', 'preflight_vision', 'preflight_context']);
});

test('each reply has a small limit, and a model that does not stop fails the schema check', async () => {
  server.behave([{ behaviour: { kind: 'runaway' } }]);
  expect(await check()).toMatchObject({ reason: 'schema_not_kept', calls: 2 });
  expect(server.calls.map(({ body }) => body['max_completion_tokens'])).toEqual([200, 200]);
});

test('a lane of typed answers has no vision check', async () => {
  await check(false);
  expect(names()).toEqual(['preflight_schema', 'preflight_context']);
});

test('a server that drops pictures and invents their content is blind after two different pictures', async () => {
  server.behave([{ behaviour: { kind: 'blind' } }]);
  expect(await check()).toMatchObject({
    outcomes: ['endpoint passed', 'schema passed', 'vision failed'],
    reason: 'blind',
    calls: 3,
  });
  const pictures = server.calls.slice(1).map(({ body }) => JSON.stringify(body));
  expect(pictures[0]).not.toBe(pictures[1]);
  expect(await check(false)).toMatchObject({ reason: null });
});

test('a server that answers pictures with 500 refuses pictures and does not count as down', async () => {
  server.behave((call): Behaviour | undefined =>
    call.schemaName === 'preflight_vision' ? { kind: 'status', status: 500 } : undefined,
  );
  expect(await check()).toMatchObject({ reason: 'pictures_refused', detail: { status: 500 } });
});

test('a reader with one wrong letter in each picture passes; one with a single such picture does not', async () => {
  const misread = (answer: unknown) => {
    const letters = String(Object.values(answer ?? {})[0]);
    return { letters: `Q${letters.slice(1)}` };
  };
  server.behave([{ schemaName: 'preflight_vision', behaviour: { kind: 'altered', alter: misread } }]);
  expect(await check()).toMatchObject({ reason: null, calls: 4 });
  server.behave([
    { schemaName: 'preflight_vision', times: 1, behaviour: { kind: 'altered', alter: misread } },
    { schemaName: 'preflight_vision', behaviour: { kind: 'content', content: { letters: 'HELLO' } } },
  ]);
  expect(await check()).toMatchObject({ reason: 'blind' });
});

test('a server that keeps only the end of a long prompt has too short a context', async () => {
  server.behave([{ behaviour: { kind: 'cuts', tokens: 4096 } }]);
  expect(await check(false)).toMatchObject({
    outcomes: ['endpoint passed', 'schema passed', 'context failed'],
    reason: 'context_cut',
    detail: { tokens: 4096 },
  });
});

test('a model that has the whole text and does not find its words is too weak; its context is not blamed', async () => {
  const content = { first: 'the', last: 'text' };
  server.behave([{ schemaName: 'preflight_context', behaviour: { kind: 'content', content } }]);
  expect(await check(false)).toMatchObject({ reason: 'too_weak', calls: 3 });
});

test('a server that refuses a long prompt has too short a context, and its status is reported', async () => {
  server.behave([{ schemaName: 'preflight_context', behaviour: { kind: 'status', status: 400 } }]);
  expect(await check(false)).toMatchObject({ reason: 'context_refused', detail: { status: 400 } });
});

test('a server too slow for a long text passes, and one too slow for any request fails', async () => {
  server.behave([{ schemaName: 'preflight_context', behaviour: { kind: 'hang' } }]);
  expect(await check(false)).toMatchObject({
    outcomes: ['endpoint passed', 'schema passed', 'context unknown'],
    reason: null,
  });
  server.behave([{ behaviour: { kind: 'hang' } }]);
  expect(await check(false)).toMatchObject({ outcomes: ['endpoint failed'], reason: 'too_slow' });
});

test('a server that never follows the schema fails after two replies', async () => {
  server.behave([{ behaviour: { kind: 'violating' } }]);
  expect(await check()).toMatchObject({ reason: 'schema_not_kept', calls: 2 });
});

test.each([
  [{ kind: 'status', status: 401 }, 'refused'],
  [{ kind: 'status', status: 404 }, 'refused'],
  [{ kind: 'status', status: 503 }, 'unreachable'],
  [{ kind: 'status', status: 429 }, 'throttled'],
  [{ kind: 'status', status: 400 }, 'request_refused'],
  [{ kind: 'html' }, 'unreachable'],
] satisfies [Behaviour, string][])('%j is reported as %s after one call', async (behaviour, reason) => {
  server.behave([{ behaviour }]);
  expect(await check()).toMatchObject({ reason, calls: 1 });
});
