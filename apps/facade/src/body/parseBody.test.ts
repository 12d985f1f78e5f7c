import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientObjectPlaces } from '@evaluation/rest-contract/client-object-places';
import { EACH, EXACT, stringifyExact } from '@evaluation/rest-contract/exact-json';
import { CandidatesCreate, ExamCreate, QuestionEdit } from '@evaluation/rest-contract/schemas';
import { MalformedJson, parseBody } from './parseBody.ts';

const PLACES = [['own'], ['list', EACH, 'own']];
const parse = (json: string): unknown => parseBody(Buffer.from(json), PLACES);

test('the places of clients’ objects come from the schema', () => {
  expect(clientObjectPlaces(CandidatesCreate)).toEqual([['candidates', EACH, 'metadata']]);
  expect(clientObjectPlaces(QuestionEdit)).toEqual([['tags']]);
  expect(clientObjectPlaces(ExamCreate)).toEqual([
    ['questions', EACH, 'tags'],
    ['candidates', EACH, 'metadata'],
  ]);
});

test('a body is what JSON.parse makes of it, apart from clients’ objects', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const json = JSON.stringify({ any: value });
      expect(parse(json)).toEqual(JSON.parse(json));
    }),
  );
});

describe('a client’s object is kept as its text if JavaScript would change one of its numbers', () => {
  const numbers = ['1.0', '1e2', '-0', '0.10', '12345678901234567890', '9007199254740993', '1E5', '1e400'];
  test.each(numbers)('%s', (number) => {
    for (const space of ['', ' ', '\n\t']) {
      const own = `{${space}"a":${space}[${space}${number}${space}],"b":"1.0"}`;
      const kept = { [EXACT]: `{"a":[${number}],"b":"1.0"}` };
      expect(parse(`{"own":${own}}`)).toEqual({ own: kept });
      expect(parse(`{"n":1.0,"list":[{"own":${own}},{"own":{"c":1}}]}`)).toEqual({
        n: 1,
        list: [{ own: kept }, { own: { c: 1 } }],
      });
    }
  });

  test.each(['1', '1.5', '-1', '0', '1e+21', '123456789012345', '5e-324'])('but not for %s', (number) => {
    expect(parse(`{"own":{"a":${number}}}`)).toEqual({ own: { a: Number(number) } });
  });

  test('or if it has a field of the name that marks such an object, with or without escapes', () => {
    for (const name of ['$exact_json', '\\u0024exact_json', '$ex\\u0061ct_json']) {
      expect(parse(`{"own":{"a":[{"${name}":"{}"}]}}`)).toEqual({
        own: { [EXACT]: '{"a":[{"$exact_json":"{}"}]}' },
      });
    }
  });

  test('any object comes back with the same numbers, digit by digit', () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 25n }),
        fc.stringMatching(/^(\.\d{1,20})?([eE][+-]?\d{1,3})?$/),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 5 }), (all) => {
        const own = `{"a":[${all.join(',')}],"b":"é\\n"}`;
        expect(stringifyExact(parse(`{"own":${own}}`))).toBe(`{"own":${own}}`);
      }),
    );
  });
});

describe('malformed', () => {
  test.each(['{', '{"a":1,}', '[1] 2', '01', 'NaN', "{'a':1}", '"a\nb"', '\u00a01', '{"a":"\\x"}'])(
    '%j',
    (text) => {
      expect(() => parse(text)).toThrow(MalformedJson);
    },
  );

  test.each([[[0x80]], [[0xc0, 0x80]], [[0xed, 0xa0, 0x80]], [[0xe0, 0xa4]], [[0xf5, 0x80, 0x80, 0x80]]])(
    'UTF-8 %j',
    (bad) => {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bad), Buffer.from('"}')]);
      expect(() => parseBody(body, PLACES)).toThrow(MalformedJson);
    },
  );
});

test('an empty body is undefined, and a byte order mark is skipped', () => {
  expect(parse('')).toBeUndefined();
  expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
});
