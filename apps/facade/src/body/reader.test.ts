import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shapeOf, type BodyShape } from '@evaluation/rest-contract/body-shape';
import { EXACT } from '@evaluation/rest-contract/exact-json';
import { CandidatesCreate, ExamCreate, ExamEdit, RubricsEdit } from '@evaluation/rest-contract/schemas';
import { BodyReader, BodyTooLarge, MalformedJson } from './reader.ts';
import { LONG_CLIENT_OBJECT } from './standIns.ts';

const MEBI = 1024 * 1024;

const readIn = (
  shape: BodyShape,
  bytes: Buffer,
  cuts: readonly number[],
  maxHeldBytes = 64 * MEBI,
): unknown => {
  const reader = new BodyReader(shape, maxHeldBytes);
  let from = 0;
  for (const to of [...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]) {
    reader.take(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  return reader.end();
};

const read = (shape: BodyShape, json: string, maxHeldBytes?: number): unknown =>
  readIn(shape, Buffer.from(json), [], maxHeldBytes);

const TEXT: BodyShape = {};
const ANY_LEAF: BodyShape = {
  object: {
    unknown: 'skip',
    fields: new Map<string, BodyShape>([
      ['a', TEXT],
      [
        'nämé',
        { array: { items: { object: { unknown: 'skip', fields: new Map([['b', TEXT]]) } }, maxItems: 50 } },
      ],
      ['list', { array: { items: TEXT, maxItems: 50 } }],
      ['own', { isClientObject: true }],
      [
        'map',
        {
          record: {
            entries: { object: { unknown: 'skip', fields: new Map([['b', TEXT]]) } },
            maxEntries: 50,
          },
        },
      ],
    ]),
  },
};

/** Expected result: the parsed value without fields that the shape does not name. */
const known = (shape: BodyShape, value: unknown): unknown => {
  if (Array.isArray(value)) {
    const { array } = shape;
    if (array === undefined) return value.length === 0 ? [] : [null];
    return value.slice(0, array.maxItems + 1).map((item: unknown) => known(array.items, item));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (shape.isClientObject === true) return value;
  const entries = Object.entries(value);
  if (shape.record !== undefined) {
    const { entries: each } = shape.record;
    return Object.fromEntries(entries.map(([name, part]) => [name, known(each, part)]));
  }
  if (shape.object === undefined) return {};
  const { fields } = shape.object;
  return Object.fromEntries(
    entries.flatMap(([name, part]) => {
      const field = fields.get(name);
      return field === undefined ? [] : [[name, known(field, part)]];
    }),
  );
};

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'nämé', 'list', 'own', 'map', '__proto__', 'unknown'),
  fc.string({ unit: 'grapheme' }),
);
const json = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 6 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 6 }),
}));

const rewritten = (value: unknown, space: string, escapes: boolean): string => {
  const text = JSON.stringify(value, null, space);
  if (!escapes) return text;
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
};

describe('the reader keeps the known fields as JSON.parse would', () => {
  test('for any JSON, spelling and chunk borders', () => {
    fc.assert(
      fc.property(
        json.object,
        fc.constantFrom('', ' ', '\n\t'),
        fc.boolean(),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (value, space, escapes, cuts) => {
          const text = rewritten(value, space, escapes);
          const kept = readIn(ANY_LEAF, Buffer.from(text), cuts);
          const expected = known(ANY_LEAF, JSON.parse(text));
          const hasNul = text.includes('\\u0000');
          const own: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'own') : null;
          const isExact = typeof own === 'object' && own !== null && Object.hasOwn(own, EXACT);
          // A NUL and an own object of more than 2 KB are replaced by stand-ins, and inexact numbers are kept as text:
          // these have tests below.
          if (own === LONG_CLIENT_OBJECT) {
            const sent = JSON.stringify(Reflect.get(Object(expected), 'own'));
            expect(Buffer.byteLength(sent)).toBeGreaterThan(2048);
          } else if (!hasNul && !isExact) expect(kept).toEqual(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('for chunks of one byte', () => {
    const text =
      '{"a":"\\ud83d\\ude00 é €","nämé":[{"b":-1.5e-3,"x":[{}]}],"list":[true,false,null],"own":{"k":[1]}}';
    const bytes = Buffer.from(text);
    expect(readIn(ANY_LEAF, bytes, Array.from(bytes.keys()))).toEqual(known(ANY_LEAF, JSON.parse(text)));
  });

  test('for repeated fields: the last one counts', () => {
    expect(read(ANY_LEAF, '{"a":1,"a":{"b":2},"a":3}')).toEqual({ a: 3 });
  });

  test('for a field whose name is written with escapes', () => {
    expect(read(ANY_LEAF, String.raw`{"\u0061":1,"n\u00e4m\u00e9":[]}`)).toEqual({ a: 1, nämé: [] });
  });
});

describe('invalid JSON is malformed, in known values and in skipped ones', () => {
  const broken = [
    '',
    '{',
    '[',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '[1,]',
    '[,1]',
    '[1 2]',
    '{}{}',
    '{"a":1]',
    '[1}',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '-',
    '--1',
    '0x1',
    '1.5.5',
    'NaN',
    'Infinity',
    'tru',
    'truee',
    'nul',
    'undefined',
    '"',
    '"\\',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"a\nb"',
    '"\t"',
    '"a',
    '\u00a0',
    '/**/1',
  ];
  test.each(broken)('%j', (text) => {
    for (const body of [
      `{"a":${text}}`,
      `{"own":{"k":${text}}}`,
      `{"x":${text}}`,
      `{"x":[[${text}]]}`,
      `{"x":{"y":${text}}}`,
    ]) {
      let isJson = true;
      try {
        JSON.parse(body);
      } catch {
        isJson = false;
      }
      if (isJson) continue;
      expect(() => read(ANY_LEAF, body)).toThrow(MalformedJson);
      expect(() => readIn(ANY_LEAF, Buffer.from(body), Array.from(Buffer.from(body).keys()))).toThrow(
        MalformedJson,
      );
    }
  });

  test('invalid UTF-8 at any place and with any chunk borders', () => {
    for (const bad of [[0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe0, 0xa4], [0xf5, 0x80, 0x80, 0x80]]) {
      for (const field of ['a', 'x', 'own']) {
        const body = Buffer.concat([Buffer.from(`{"${field}":{"k":"`), Buffer.from(bad), Buffer.from('"}}')]);
        for (let cut = 0; cut < body.length; cut += 1) {
          expect(() => readIn(ANY_LEAF, body, [cut])).toThrow(MalformedJson);
        }
      }
    }
  });

  test('nesting beyond the limit', () => {
    for (const field of ['a', 'x', 'own']) {
      expect(() => read(ANY_LEAF, `{"${field}":${'['.repeat(1200)}`)).toThrow(MalformedJson);
      expect(() => read(ANY_LEAF, `{"${field}":${'{"a":'.repeat(1200)}`)).toThrow(MalformedJson);
    }
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    expect(read(ANY_LEAF, `{"own":{"k":${deep}},"x":${deep}}`)).toEqual({ own: { k: JSON.parse(deep) } });
  });

  test('an empty body is undefined, and a byte order mark is skipped', () => {
    expect(read(ANY_LEAF, '')).toBeUndefined();
    expect(read(ANY_LEAF, '\ufeff{"a":1}')).toEqual({ a: 1 });
  });
});

describe('an oversized body is bounded while it arrives', () => {
  const exam = shapeOf(ExamCreate);

  test('a million values of unknown fields take no memory', () => {
    const reader = new BodyReader(exam, MEBI);
    reader.take(Buffer.from('{"title":"x","junk":{'));
    const fields = Array.from({ length: 30_000 }, (_, index) => `"k${index}":[0,{"a":"b"}],`).join('');
    for (let time = 0; time < 33; time += 1) reader.take(Buffer.from(fields));
    expect(reader.memoryBytes).toBeLessThan(1000);
    reader.take(Buffer.from('"k":0},"mode":"typed"}'));
    expect(reader.end()).toEqual({ title: 'x', mode: 'typed' });
  });

  test('a list is kept up to one item beyond its limit, so that the schema refuses it', () => {
    const kept = read(exam, `{"sections":[${'{"name":"A"},'.repeat(5000)}0]}`);
    expect(kept).toEqual({ sections: Array.from({ length: 21 }, () => ({ name: 'A' })) });
  });

  test('an object with keys of the client is kept up to one entry beyond its limit', () => {
    const entries = Array.from({ length: 5000 }, (_, index) => `"q${index}":{}`).join(',');
    expect(
      Object.keys(
        Object(Reflect.get(Object(read(shapeOf(RubricsEdit), `{"questions":{${entries}}}`)), 'questions')),
      ),
    ).toHaveLength(201);
  });

  test('a text that is too long is replaced by a stand-in that is refused as too long', () => {
    const reader = new BodyReader(exam, MEBI);
    reader.take(Buffer.from('{"title":"'));
    for (let time = 0; time < 100; time += 1) reader.take(Buffer.from('t'.repeat(64 * 1024)));
    expect(reader.memoryBytes).toBeLessThan(2 * 64 * 1024);
    reader.take(Buffer.from('"}'));
    const kept = reader.end();
    expect(ExamCreate.safeParse({ mode: 'typed', ...Object(kept) }).error?.issues).toMatchObject([
      { path: ['title'], message: 'At most 255 characters.' },
    ]);
  });

  test('a client object beyond 2 KB is replaced by a stand-in that is refused as too long', () => {
    const shape = shapeOf(CandidatesCreate);
    const kept = read(shape, `{"candidates":[{"external_id":"a","metadata":{"k":[${'0,'.repeat(MEBI)}0]}}]}`);
    expect(JSON.stringify(kept).length).toBeLessThan(4000);
    expect(CandidatesCreate.safeParse(kept).error?.issues).toMatchObject([
      { path: ['candidates', 0, 'metadata'], message: 'At most 2 KB as JSON.' },
    ]);
  });

  test.each([
    ['a list where none can be', '{"title":[1]}', { title: [null] }],
    ['an object where none can be', '{"title":{"a":1}}', { title: {} }],
    ['an object instead of a list', '{"questions":{"a":[1]}}', { questions: {} }],
    [
      'a list instead of a client object',
      '{"candidates":[{"metadata":[1]}]}',
      { candidates: [{ metadata: [null] }] },
    ],
    ['a value of a reserved field', '{"choice_groups":[{"a":1}]}', { choice_groups: [null] }],
    ['an empty list of a reserved field', '{"choice_groups":[]}', { choice_groups: [] }],
  ])('%s is kept as a small value of its kind', (_name, text, kept) => {
    expect(read(exam, text)).toEqual(kept);
  });

  test('more values than the schema permits are refused with the path, even if each one is valid', () => {
    const again = `"questions":[${`{"options":[${'{"label":"a"},'.repeat(25)}0]},`.repeat(199)}0],`;
    const body = `{${again.repeat(400)}"title":"x"}`;
    let thrown: unknown;
    try {
      read(exam, body, 1024 * MEBI);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(BodyTooLarge);
    expect(thrown).toMatchObject({ field: expect.stringMatching(/^questions\[\d+\]/) });
  });

  test('more text than the limit is refused with the path', () => {
    const question = `{"text":"${'x'.repeat(20_000)}"}`;
    expect(() =>
      read(exam, `{"questions":[${Array.from({ length: 200 }, () => question).join(',')}]}`, MEBI),
    ).toThrow(expect.objectContaining({ field: 'questions[26].text' }));
  });

  test('the first unknown fields of an edit are reported without their values', () => {
    const fields = Array.from({ length: 5000 }, (_, index) => `"k${index}":{"a":[1]}`).join(',');
    const kept = Object(
      read(shapeOf(ExamEdit), `{${fields},"title":"x","sections":[{"id":1,"__proto__":{}}]}`),
    );
    expect(Object.keys(kept)).toHaveLength(52);
    expect(kept).toMatchObject({ k0: null, title: 'x' });
    expect(Object.keys(kept.sections[0])).toEqual(['id', '__proto__']);
  });
});

describe('a NUL in a skipped value is found and reported at its place', () => {
  const nul = String.raw`\u0000`;
  test.each([
    [`{"x":"${nul}"}`, { x: '\u0000' }],
    [`{"x":{"deep":["a",{"b":"c${nul}d"}]}}`, { x: { deep: [null, { b: '\u0000' }] } }],
    [`{"x":[1,[2,"${nul}"]]}`, { x: [null, [null, '\u0000']] }],
    [`{"x${nul}":1}`, { '\u0000': null }],
    [`{"x":{"y":{"${nul}":1}}}`, { x: { y: { '\u0000': null } } }],
    [`{"a":{"y":"${nul}"}}`, { a: { y: '\u0000' } }],
    [`{"nämé":[{"x":"${nul}"}]}`, { nämé: [{ x: '\u0000' }] }],
  ])('%s', (text, kept) => {
    expect(read(ANY_LEAF, text)).toEqual(kept);
    expect(readIn(ANY_LEAF, Buffer.from(text), Array.from(Buffer.from(text).keys()))).toEqual(kept);
  });

  test('of many NULs the first few are reported', () => {
    const kept = read(
      ANY_LEAF,
      `{${Array.from({ length: 5000 }, (_, index) => `"x${index}":"${nul}"`).join(',')}}`,
    );
    expect(Object.keys(Object(kept))).toHaveLength(10);
  });
});

describe('a client object whose numbers JavaScript would change is kept as its text', () => {
  test.each(['12345678901234567890123', '1.0', '1e2', '-0', '0.10', '1E+2', '9007199254740993'])(
    '%s',
    (number) => {
      expect(read(ANY_LEAF, `{"own": {"n": [${number}], "s": "a \\" 1.0 "}}`)).toEqual({
        own: { [EXACT]: `{"n":[${number}],"s":"a \\" 1.0 "}` },
      });
    },
  );

  test.each(['0', '-1', '0.5', '9007199254740991', '1.5e+300', '"1.0"'])('%s stays a value', (number) => {
    expect(read(ANY_LEAF, `{"own": {"n": ${number}}}`)).toEqual({ own: { n: JSON.parse(number) } });
  });

  test('an object with a field named like the marker is kept as text, at any depth and in any spelling', () => {
    for (const own of [
      `{"${EXACT}":"{}"}`,
      `{"a":[{"${EXACT}":"{}"}]}`,
      `{"a":{"\\u0024exact_json":"{}"}}`,
    ]) {
      const text = own.replace(String.raw`\u0024`, '$');
      expect(read(ANY_LEAF, `{"own":${own}}`)).toEqual({ own: { [EXACT]: text } });
    }
  });
});
