import { randomUUID } from 'node:crypto';
import { findInstallation } from '@evaluation/platform/installation';
import { signActor, staffActor } from '@evaluation/platform/signed-actor';
import { closedAfterTests } from '@evaluation/test-services';
import { expect, test } from 'vitest';
import { startLatencyProbe } from '../harness/latencyProbe.ts';
import { startService } from '../harness/service.ts';
import { newSession } from './soak/examiner.ts';

/*
 * A call of 15.9 MB that consists of tiny values: parsed whole, it stops desk and core for 12 s. And floods: of made-up
 * cookies, and of one person's calls.
 */

const service = closedAfterTests(await startService());
const installation = await findInstallation(service.environment['DATA_DIR'] ?? '');
if (installation?.desk?.url == null || installation.core_url === null)
  throw new Error('the service has no desk');
const { core_url: core, tokens } = installation;
const { url: desk } = installation.desk;
const signedIn = installation.desk;
const session = await newSession(desk, signedIn);

const examiner = signActor(
  staffActor({ institute_id: randomUUID(), staff_id: randomUUID(), role: 'examiner', scopes: [] }),
  installation.actor_signing_key,
);

/** An idle machine with two cores takes 0.2 s. The default leaves room for other tests beside this one. */
const MOST_MS = Number(process.env['HOSTILE_CALL_MS'] ?? 8000);

const VALUES = `[${'{},'.repeat(5_300_000)}{}]`;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends the call while another client reads its account, and expects 413 at once and no delay for the other client. */
const expectQuickRefusal = async (url: string, headers: Record<string, string>, body: string) => {
  const probe = startLatencyProbe({
    url: `${service.baseUrl}/me`,
    headers: { 'x-api-key': service.api.apiKey },
    everyMs: 20,
  });
  await probe.running;
  const began = performance.now();
  const response = await fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
  const answer = await response.text();
  const tookMs = performance.now() - began;
  const { latencies, answers } = await probe.stop();
  expect({ status: response.status, answer }).toMatchObject({
    status: 413,
    answer: expect.stringContaining('PAYLOAD_TOO_LARGE'),
  });
  expect(answers).toEqual(['200']);
  expect(tookMs).toBeLessThan(MOST_MS);
  expect(latencies.at(-1)).toBeLessThan(MOST_MS);
};

test('a signed-in person cannot stop the service with one call of millions of values', () =>
  expectQuickRefusal(
    `${desk}/trpc/marking.next`,
    { 'x-evaluation-desk': '1', cookie: session },
    `{"exam_id":"x","body":{"x":${VALUES}}}`,
  ));

test.each([
  ['an internal team', 'public.marking.next', tokens.public],
  ['a worker', 'grading.record', tokens.grading],
  ['an operator', 'control.createInstitute', tokens.control],
])('the token of %s cannot stop core either', (_caller, procedure, token) =>
  expectQuickRefusal(
    `${core}/${procedure}`,
    { authorization: `Bearer ${token}` },
    `{"held":{"x":${VALUES}}}`,
  ),
);

test.each([
  ['without a valid token', {}, 401],
  ['of a role that may not call', { authorization: `Bearer ${tokens.public}`, 'x-actor': examiner }, 403],
])(
  'a call %s is refused before its body is read',
  async (_caller, headers: Record<string, string>, status) => {
    const body = Buffer.alloc(15_000_000, ' ');
    const began = performance.now();
    const response = await fetch(`${core}/public.desk.keys.list`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body,
    });
    expect(response.status).toBe(status);
    expect(performance.now() - began).toBeLessThan(MOST_MS);
  },
);

test('made-up sessions and links are refused beyond a limit, and people who sign in or are signed in go on', async () => {
  const call = (path: string, cookie: string, body?: object) =>
    fetch(`${desk}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...JSON_TYPE, 'x-evaluation-desk': '1', cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const madeUp = () => `desk=${randomUUID()}`;
  /** Statuses of calls that are sent at once, more than are allowed again while they are answered. */
  const burst = async (path: string, body?: object) =>
    (await Promise.all(Array.from({ length: 60 }, () => call(path, madeUp(), body)))).map(
      ({ status }) => status,
    );
  const allowed: number[] = [];
  const deadline = performance.now() + 60_000;
  for (let statuses: number[] = []; !statuses.includes(429) && performance.now() < deadline;) {
    statuses = await burst('/session');
    allowed.push(...statuses.filter((status) => status === 200));
  }
  expect(allowed.length).toBeGreaterThanOrEqual(290);
  for (const path of ['/session', '/events', `/downloads/exams/${randomUUID()}/results.csv`])
    expect(await burst(path), path).toContain(429);
  expect(await burst('/session/link/shown', { token: randomUUID() })).toContain(429);
  const list = (cookie: string) => call('/trpc/desk.exams.list', cookie, {});
  expect((await list(session)).status).toBe(200);
  expect((await list(await newSession(desk, signedIn))).status).toBe(200);
});

test('a person makes at most 1,200 calls a minute', async () => {
  const cookie = await newSession(desk, signedIn);
  const statuses = new Map<number, number>();
  const deadline = performance.now() + 90_000;
  while (!statuses.has(429) && performance.now() < deadline) {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        fetch(`${desk}/trpc/none`, { method: 'POST', headers: { 'x-evaluation-desk': '1', cookie } }),
      ),
    );
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(statuses.get(404)).toBeGreaterThanOrEqual(1190);
  expect(statuses.get(429)).toBeGreaterThan(0);
});
