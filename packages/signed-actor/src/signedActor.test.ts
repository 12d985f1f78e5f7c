import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signActor, verifyActor, type Actor } from './index.ts';

const KEY = 'k'.repeat(32);
const actor: Actor = {
  institute_id: '2f0c1b52-7f52-4c53-9d38-2d9f7c6a1b11',
  key_id: '7d8e26bb-65c8-4a75-8d05-3f27c0a4f8a0',
  scopes: ['evaluation:read'],
};

test('verifyActor returns the signed actor', () => {
  expect(verifyActor(signActor(actor, KEY), KEY)).toEqual(actor);
});

test('verifyActor returns null for another key, a changed character or a missing part', () => {
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

test('verifyActor returns null for arbitrary text and does not throw', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(verifyActor(text, KEY)).toBeNull();
    }),
  );
});
