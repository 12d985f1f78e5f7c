import { expect, test } from 'vitest';
import { BROKEN, readable } from './readable.ts';

const body = () => ({ title: 7, list: [{ a: 1 }, { a: 2 }], extra: true });
const at = (code: string, ...path: PropertyKey[]) => ({ code, path });

test('the field of each issue becomes BROKEN, and the input is not changed', () => {
  const sent = body();
  expect(readable(sent, [at('invalid_type', 'title'), at('custom', 'list', 1, 'a')])).toEqual({
    title: BROKEN,
    list: [{ a: 1 }, { a: BROKEN }],
    extra: true,
  });
  expect(sent).toEqual(body());
});

test('a missing field becomes BROKEN too, so that it is reported once', () => {
  expect(readable(body(), [at('invalid_type', 'list', 0, 'b')])).toMatchObject({
    list: [{ a: 1, b: BROKEN }, { a: 2 }],
  });
});

test('a list of the wrong length and an object with an unknown field are still read', () => {
  const issues = [at('too_big', 'list'), at('too_small', 'list'), at('unrecognized_keys')];
  expect(readable(body(), issues)).toEqual(body());
  expect(readable(body(), [at('too_big', 'title')])).toMatchObject({ title: BROKEN });
});

test('a BROKEN body or object has no inner fields', () => {
  expect(readable([], [at('invalid_type')])).toBe(BROKEN);
  expect(readable(body(), [at('custom', 'list'), at('custom', 'list', 0, 'a')])).toMatchObject({
    list: BROKEN,
  });
});
