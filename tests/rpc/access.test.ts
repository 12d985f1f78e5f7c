import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coreRouter, startCore, type Core } from '@evaluation/core';
import {
  coreInProcess,
  coreOverHttp,
  failureOf,
  isUnreachable,
  type CoreAccess,
} from '@evaluation/core-client';
import { readCoreSettings } from '@evaluation/platform/settings';
import { newEnvironment } from '../harness/service.ts';

const tokens = { public: 'p'.repeat(32), grading: 'g'.repeat(32), control: 'c'.repeat(32) };
const actorSigningKey = 's'.repeat(32);
/** The old secrets during a rotation (docs/operate/secrets.md). */
const previous = { public: 'q'.repeat(32), actorSigningKey: 't'.repeat(32) };
let core: Core;
let drop: () => Promise<void>;
const opened: CoreAccess[] = [];

beforeAll(async () => {
  const made = await newEnvironment();
  drop = made.drop;
  core = await startCore(
    readCoreSettings({
      ...made.environment,
      CORE_PUBLIC_TOKEN: `${tokens.public},${previous.public}`,
      CORE_GRADING_TOKEN: tokens.grading,
      CORE_CONTROL_TOKEN: tokens.control,
      ACTOR_SIGNING_KEY: `${actorSigningKey}, ${previous.actorSigningKey}`,
    }),
  );
});
afterAll(async () => {
  for (const access of opened) await access.close();
  await core.close();
  await drop();
});

const open = (access: CoreAccess): CoreAccess => {
  opened.push(access);
  return access;
};
const transports = {
  'over HTTP': (token: string, key = actorSigningKey) =>
    open(coreOverHttp({ url: core.url, token, actorSigningKey: key })),
  'in-process': (token: string, key = actorSigningKey) =>
    open(
      coreInProcess({ router: coreRouter, createContext: core.createContext, token, actorSigningKey: key }),
    ),
};
const actor = () => ({ institute_id: randomUUID(), key_id: randomUUID(), scopes: [] });
const refusal = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.message : 'thrown'),
  );

describe.each(Object.entries(transports))('core %s', (_name, connect) => {
  test('each router accepts its own service token and no other', async () => {
    const upload = { upload_id: randomUUID(), institute_id: randomUUID(), delivery: 1 };
    for (const [service, token] of Object.entries(tokens)) {
      const client = connect(token).as({ actor: actor() });
      const seen = {
        public: await refusal(client.public.authenticate.query({ hash: '0'.repeat(64) })),
        grading: await refusal(client.grading.claimInspection.mutate(upload)),
        control: await refusal(client.control.createInstitute.mutate({ name: 'N', credits: 1 })),
      };
      expect(Object.entries(seen).filter(([, outcome]) => outcome === 'answered')).toEqual([
        [service, 'answered'],
      ]);
      expect(new Set(Object.values(seen))).toEqual(new Set(['answered', 'UNAUTHORIZED']));
    }
  });

  test('a public call needs an actor that the facade signed', async () => {
    expect(
      await refusal(connect(tokens.public).as({}).public.exams.get.query({ exam_id: randomUUID() })),
    ).toBe('UNAUTHORIZED');
    const forged = connect(tokens.public, 'x'.repeat(32)).as({ actor: actor() });
    expect(await refusal(forged.public.exams.get.query({ exam_id: randomUUID() }))).toBe('UNAUTHORIZED');
  });

  test('during a rotation the old token and key are accepted too, and no third', async () => {
    const ask = (token: string, key?: string) =>
      refusal(connect(token, key).as({ actor: actor() }).public.exams.list.query({ query: {} }));
    expect(await ask(previous.public)).toBe('answered');
    expect(await ask(tokens.public, previous.actorSigningKey)).toBe('answered');
    expect(await ask(previous.public, 'u'.repeat(32))).toBe('UNAUTHORIZED');
    expect(await ask('u'.repeat(32))).toBe('UNAUTHORIZED');
    expect(await ask(`${tokens.public},${previous.public}`)).toBe('UNAUTHORIZED');
  });

  test('a failure arrives typed, with its code and details', async () => {
    const client = connect(tokens.public).as({ actor: actor() }).public;
    const missing: unknown = await client.exams.get
      .query({ exam_id: randomUUID() })
      .catch((error: unknown) => error);
    expect(failureOf(missing)).toEqual({ code: 'exam_not_found', message: 'The exam was not found.' });
    expect(isUnreachable(missing)).toBe(false);
    const body = { title: '', mode: 'typed' as const };
    const invalid: unknown = await client.exams.create.mutate({ body }).catch((error: unknown) => error);
    expect(failureOf(invalid)).toMatchObject({
      code: 'validation_failed',
      details: { errors: [{ field: 'title', code: 'required' }] },
    });
  });
});

test('an unreachable core is reported as unreachable, not as a failure of the caller', async () => {
  const unreachable = open(
    coreOverHttp({ url: 'http://127.0.0.1:1', token: tokens.public, actorSigningKey }),
  );
  const error: unknown = await unreachable
    .as({ actor: actor() })
    .public.me.query()
    .catch((caught: unknown) => caught);
  expect(isUnreachable(error)).toBe(true);
  expect(failureOf(error)).toBeNull();
});
