import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coreOverHttp } from '@evaluation/core-client';
import type { ClonedDatabase } from '@evaluation/test-services';
import { behind } from '../../harness/behind.ts';
import { eventually } from '../../harness/ledger.ts';
import { freePort, killPrograms, startProgram, type Program } from '../../harness/processes.ts';
import { newEnvironment } from '../../harness/service.ts';

/** Output of core and facade, as processes with the most verbose log level. */
let logs = '';
const hear = (text: string): void => {
  logs += text;
};
let core: Program;
let baseUrl: string;
let database: ClonedDatabase;
let apiKey: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'evaluation-secrecy-'));
  const port = await freePort();
  const secret = () => randomBytes(16).toString('hex');
  const controlToken = secret();
  const made = await newEnvironment({
    LOG_LEVEL: 'trace',
    CORE_PORT: String(port),
    CORE_URL: `http://127.0.0.1:${port}`,
    CORE_PUBLIC_TOKEN: secret(),
    CORE_GRADING_TOKEN: secret(),
    CORE_CONTROL_TOKEN: controlToken,
    ACTOR_SIGNING_KEY: secret(),
    TMPDIR: temporary,
  });
  database = made.database;
  close = async () => {
    await killPrograms();
    await made.drop();
    await rm(temporary, { recursive: true, force: true });
  };
  core = await startProgram('core', made.environment, hear);
  baseUrl = (await startProgram('facade', made.environment, hear)).name;
  const control = coreOverHttp({ url: core.name, token: controlToken });
  const provision = control.as({}).control;
  const { institute_id } = await provision.createInstitute.mutate({ name: 'Careless School', credits: 1 });
  ({ api_key: apiKey } = await provision.createKey.mutate({ institute_id }));
  await control.close();
});
afterAll(() => close());

/** Every place of a request where a client may put its key, besides the right header or instead of it. */
const everyPlace = (): [path: string, init: RequestInit][] => {
  const json = { 'content-type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = json): RequestInit => ({
    method: 'POST',
    headers,
    body,
  });
  const id = randomUUID();
  return [
    ['/me', {}],
    [`/me?x-api-key=${apiKey}&api_key=${apiKey}`, {}],
    [`/${apiKey}`, {}],
    [`/exams/${apiKey}`, {}],
    [`/exams/${apiKey}/questions/${apiKey}`, { method: 'DELETE' }],
    [`/exams/%zz${apiKey}`, {}],
    [`/submissions?cursor=${apiKey}&updated_since=${apiKey}&limit=${apiKey}`, {}],
    ['/candidates/search', post(JSON.stringify({ external_ids: [apiKey] }))],
    [
      '/candidates',
      post(JSON.stringify({ candidates: [{ external_id: apiKey, name: apiKey, [apiKey]: apiKey }] })),
    ],
    ['/exams/search', post(JSON.stringify({ external_ref: apiKey }))],
    ['/exams', post(JSON.stringify({ title: apiKey, mode: apiKey, [apiKey]: 1 }))],
    [`/exams/${id}`, { method: 'PATCH', headers: json, body: JSON.stringify({ [apiKey]: apiKey }) }],
    [`/exams/${id}/submissions`, post(JSON.stringify({ candidate_id: apiKey, upload_id: apiKey }))],
    ['/exams', post(`{"api_key": ${apiKey}}`)],
    ['/exams', post(apiKey, { 'content-type': 'text/plain' })],
    ['/exams', post(apiKey, { 'content-type': apiKey })],
    ['/exams', post('{}', { ...json, 'idempotency-key': apiKey })],
    ['/exams', post('{}', { ...json, 'idempotency-key': `${apiKey}\u00e9` })],
    [
      '/me',
      {
        headers: {
          authorization: `Bearer ${apiKey}`,
          cookie: `key=${apiKey}`,
          referer: `http://x/${apiKey}`,
        },
      },
    ],
    [
      '/me',
      { headers: { 'user-agent': apiKey, 'x-request-id': apiKey, traceparent: apiKey, [apiKey]: apiKey } },
    ],
  ];
};

/** Sends each request with the right key in its header, without, and with a wrong key. @returns statuses */
const sendEverywhere = async (): Promise<Set<number>> => {
  const statuses = new Set<number>();
  for (const key of [apiKey, null, `${apiKey}0`]) {
    for (const [path, init] of everyPlace()) {
      const headers = new Headers(init.headers);
      if (key !== null) headers.set('x-api-key', key);
      const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
      await response.arrayBuffer();
      statuses.add(response.status);
    }
  }
  return statuses;
};

const expectNoKeyInLogs = (): void => {
  const lines = logs.split('\n').filter((line) => line.toLowerCase().includes(apiKey.slice(-48)));
  expect(lines).toEqual([]);
};

test('a key never appears in a log, wherever a client puts it and whatever fails', async () => {
  expect(await sendEverywhere()).toEqual(new Set([200, 400, 401, 404, 415, 422]));
  expectNoKeyInLogs();

  // A broken table: core and facade log the error without the request.
  await behind(database, 'alter table candidates rename to lost');
  await behind(database, 'alter table exams rename to lost_too');
  expect(await sendEverywhere()).toContain(500);
  await eventually('core logs the error', async () => logs.includes('procedure failed'));
  await eventually('the facade logs the error', async () => logs.includes('request failed unexpectedly'));
  expectNoKeyInLogs();

  await core.kill();
  expect(await sendEverywhere()).toContain(503);
  await eventually('the facade logs that core is down', async () => logs.includes('core is not reachable'));
  expectNoKeyInLogs();
});
