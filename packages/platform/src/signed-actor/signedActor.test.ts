import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actorSigner, actorVerifier, signActor, type Actor } from './index.ts';

const KEY = 'k'.repeat(32);
const actor: Actor = {
  institute_id: '2f0c1b52-7f52-4c53-9d38-2d9f7c6a1b11',
  key_id: '7d8e26bb-65c8-4a75-8d05-3f27c0a4f8a0',
  scopes: ['evaluation:read'],
};

const verifyActor = (token: string, key: string, now = Date.now()) =>
  actorVerifier([key], [], () => now)(token);

test('a verifier returns the signed actor', () => {
  expect(verifyActor(signActor(actor, KEY), KEY)).toEqual(actor);
});

test('a verifier returns null for another key, a changed character or a missing part', () => {
  const token = signActor(actor, KEY);
  expect(verifyActor(token, 'x'.repeat(32))).toBeNull();
  expect(verifyActor(token.split('.')[0] ?? '', KEY)).toBeNull();
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '0', '.', '-'), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      // The last base64 character has unused bits: a change of those decodes to the same bytes.
      fc.pre(changed !== token && at < token.length - 1);
      expect(verifyActor(changed, KEY)).toBeNull();
    }),
  );
});

test('a token expires after a minute', () => {
  const now = Date.now();
  const token = signActor(actor, KEY, now);
  expect(verifyActor(token, KEY, now + 59_000)).toEqual(actor);
  expect(verifyActor(token, KEY, now + 61_000)).toBeNull();
});

test('a verifier returns null for arbitrary text and does not throw', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(verifyActor(text, KEY)).toBeNull();
    }),
  );
});

test('a signer uses one token for an actor until a third of its lifetime has passed', () => {
  let now = Date.now();
  const sign = actorSigner(KEY, () => now);
  const token = sign(actor);
  now += 19_000;
  expect(sign(actor)).toBe(token);
  now += 2_000;
  expect(sign(actor)).not.toBe(token);
  expect(verifyActor(sign(actor), KEY, now)).toEqual(actor);
  expect(sign({ ...actor, scopes: [] })).not.toBe(sign(actor));
});

test('a verifier refuses a token that it has verified before, once the token has expired', () => {
  let now = Date.now();
  const verify = actorVerifier([KEY], [], () => now);
  const token = signActor(actor, KEY, now);
  expect([verify(token), verify(token)]).toEqual([actor, actor]);
  now += 61_000;
  expect(verify(token)).toBeNull();
});

test('a verifier accepts each of its keys, and refuses a changed token after it has verified the true one', () => {
  const verify = actorVerifier([KEY, 'n'.repeat(32)]);
  const token = signActor(actor, 'n'.repeat(32));
  expect(verify(token)).toEqual(actor);
  const [payload = '', signature = ''] = token.split('.');
  const other = signActor({ ...actor, institute_id: actor.key_id }, 'x'.repeat(32)).split('.')[0] ?? '';
  expect([verify(`${other}.${signature}`), verify(`${payload}.`), verify(payload)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a key of a team names its team, and no signed text names another', () => {
  const teams = [
    { name: 'timetable', keys: ['t'.repeat(32), 'u'.repeat(32)] },
    { name: 'results', keys: ['r'.repeat(32)] },
  ];
  const verify = actorVerifier([KEY], teams);
  const claiming = { ...actor, team: 'results' };
  const teamOf = (key: string) => verify(signActor(claiming, key))?.team;
  expect(['t', 'u', 'r', 'x'].map((letter) => teamOf(letter.repeat(32)))).toEqual([
    'timetable',
    'timetable',
    'results',
    undefined,
  ]);
  expect(verify(signActor(claiming, KEY))).toEqual(actor);
  // A token that another program signs may have the field.
  const payload = Buffer.from(JSON.stringify({ ...claiming, exp: Date.now() + 60_000 })).toString(
    'base64url',
  );
  const mac = (key: string) => createHmac('sha256', key).update(payload).digest('base64url');
  expect(verify(`${payload}.${mac(KEY)}`)).toEqual(actor);
  expect(verify(`${payload}.${mac('t'.repeat(32))}`)?.team).toBe('timetable');
});
