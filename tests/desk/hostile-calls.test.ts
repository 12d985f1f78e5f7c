import { findInstallation } from '@evaluation/platform/installation';
import { closedAfterTests } from '@evaluation/test-services';
import { expect, test } from 'vitest';
import { startLatencyProbe } from '../harness/latencyProbe.ts';
import { startService } from '../harness/service.ts';
import { newSession } from './soak/examiner.ts';

/* A call of 15.9 MB that consists of tiny values: parsed whole, it stops desk and core for 12 s. */

const service = closedAfterTests(await startService());
const installation = await findInstallation(service.environment['DATA_DIR'] ?? '');
if (installation?.desk?.url == null || installation.core_url === null)
  throw new Error('the service has no desk');
const { core_url: core, tokens } = installation;
const { url: desk } = installation.desk;
const session = await newSession(desk, installation.desk);

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

test('a call without a valid token is counted before its token is read', () =>
  expectQuickRefusal(`${core}/public.marking.next`, {}, VALUES));
