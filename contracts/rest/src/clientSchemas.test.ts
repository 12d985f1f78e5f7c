import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { isObject, mapDocument, type JsonSchema } from './clientSchemas.ts';
import { errors } from './errors.ts';
import { openApi30 } from './openapi30.ts';
import { openApiDocument } from './openapi.ts';
import { FeedQuery } from './schemas/submission.ts';
import { include } from './schemas/primitives.ts';

/** Properties that generators of clients rely on, held over every schema of the document. */

interface Document {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string; schema: JsonSchema }[] }>>;
  components: { schemas: Record<string, JsonSchema> };
}

const document: Document = JSON.parse(JSON.stringify(await openApiDocument()));
const document30: Document = JSON.parse(JSON.stringify(openApi30(document)));

const schemasIn = (part: unknown): JsonSchema[] => {
  const found: JsonSchema[] = [];
  mapDocument(part, (schema) => {
    found.push(schema);
    return schema;
  });
  return found;
};

const schemasOfBoth = [...schemasIn(document), ...schemasIn(document30)];

const branchesOf = (schema: JsonSchema): JsonSchema[] =>
  ['anyOf', 'oneOf'].flatMap((word) => {
    const branches = schema[word];
    return Array.isArray(branches) ? branches.filter(isObject) : [];
  });

const isText = ({ type }: JsonSchema): boolean => type === 'string';
const typesOf = ({ type }: JsonSchema): unknown[] => (Array.isArray(type) ? type : [type]);

/** Names of the components that a body of this kind reaches. */
const reachedFrom = (kind: 'requestBody' | 'responses'): Set<string> => {
  const reached = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      follow(document.components.schemas[name]);
    }
  };
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    follow(Object.entries(operation).find(([key]) => key === kind)?.[1]);
  return reached;
};

const schemasOf = (names: Iterable<string>): JsonSchema[] =>
  [...names].flatMap((name) => schemasIn({ schemas: { [name]: document.components.schemas[name] } }));

describe('every schema of openapi.json, in OpenAPI 3.1 and 3.0', () => {
  test('says the items of each array', () => {
    const arrays = schemasOfBoth.filter((schema) => typesOf(schema).includes('array'));
    expect(arrays.length).toBeGreaterThan(60);
    expect(arrays.filter((schema) => !isObject(schema['items']))).toEqual([]);
  });

  test('says the size of each number', () => {
    const numbers = schemasOfBoth.filter((schema) => typesOf(schema).includes('number'));
    const integers = schemasOfBoth.filter((schema) => typesOf(schema).includes('integer'));
    expect(numbers.length).toBeGreaterThan(40);
    expect(new Set(numbers.map(({ format }) => format))).toEqual(new Set(['double']));
    expect(new Set(integers.map(({ format }) => format))).toEqual(new Set(['int32', 'int64']));
    const overlong = integers.filter(
      ({ format, maximum }) => format === 'int32' && Number(maximum) >= 2 ** 31,
    );
    expect(overlong).toEqual([]);
  });

  test('has no rule about the text beside a format', () => {
    const formatted = schemasOfBoth.filter((schema) => isText(schema) && 'format' in schema);
    expect(formatted.length).toBeGreaterThan(60);
    const mixed = formatted.filter(
      (schema) => 'pattern' in schema || 'minLength' in schema || 'maxLength' in schema,
    );
    expect(mixed).toEqual([]);
  });

  test('has a name if it is an object with fields, or a union other than known values and null', () => {
    const named = new Set(
      [document, document30].flatMap(({ components }) =>
        Object.values(components.schemas).map((schema) => JSON.stringify(schema)),
      ),
    );
    const isUnion = (schema: JsonSchema): boolean => {
      const branches = branchesOf(schema).filter(({ type }) => type !== 'null');
      return branches.length > 1 && !branches.every(isText);
    };
    const inline = schemasOfBoth
      .filter((schema) => Object.keys(asObject(schema['properties'])).length > 0 || isUnion(schema))
      .filter((schema) => !named.has(JSON.stringify(schema)));
    expect(inline).toEqual([]);
  });
});

const asObject = (part: unknown): JsonSchema => (isObject(part) ? part : {});

describe('values that a later version may add', () => {
  test('in answers each list of known texts is open, in requests it is closed', () => {
    const closedIn = (schema: JsonSchema): boolean =>
      isText(schema) && ('enum' in schema || 'const' in schema);
    const answers = schemasOf(reachedFrom('responses'));
    const open = answers.filter((schema) => {
      const branches = branchesOf(schema);
      return branches.length > 1 && branches.every(isText);
    });
    expect(open.length).toBeGreaterThan(15);
    for (const schema of open) {
      expect(branchesOf(schema)).toEqual([{ type: 'string', enum: expect.any(Array) }, { type: 'string' }]);
    }
    // The closed half of each open list is the only closed one.
    expect(answers.filter(closedIn)).toHaveLength(open.length);

    const requests = schemasOf(reachedFrom('requestBody'));
    expect(requests.filter(closedIn).length).toBeGreaterThan(8);
    const openRequests = requests.filter((schema) => branchesOf(schema).filter(isText).length > 1);
    expect(openRequests).toEqual([]);
  });

  test('error.code lists every code of the catalogue, and stays open', () => {
    const { code } = asObject(document.components.schemas['ErrorBody']?.['properties']);
    expect(code).toEqual({
      anyOf: [{ type: 'string', enum: Object.keys(errors) }, { type: 'string' }],
    });
  });
});

describe('parameters', () => {
  const parameters = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap((operation) => operation.parameters ?? []);

  test('each id in a path is a uuid', () => {
    const ids = parameters.filter((parameter) => parameter.in === 'path');
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter(({ schema }) => schema['format'] !== 'uuid')).toEqual([]);
  });

  test('the pattern of include accepts what the service accepts', () => {
    const includes = parameters.filter(({ name }) => name === 'include');
    expect(includes.length).toBeGreaterThan(2);
    expect(includes.filter(({ schema }) => typeof schema['pattern'] !== 'string')).toEqual([]);

    const schema = include('annotations', '-extracted_answer');
    const { pattern } = z.toJSONSchema(schema, { io: 'input' });
    for (const text of [
      '',
      ',',
      'annotations',
      'annotations,-extracted_answer',
      ',annotations,,',
      'x',
      'annotations x',
      'annotationsannotations',
      'annotations,x',
    ])
      expect([text, new RegExp(pattern ?? '').test(text)]).toEqual([text, schema.safeParse(text).success]);
  });
});

describe('updated_since', () => {
  const instantOf = (updated_since: string) => FeedQuery.safeParse({ updated_since }).data?.updated_since;

  test.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00+0000', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.123456789+05:30', '2025-12-31T18:30:00.123456789Z'],
    ['2026-03-01T01:00:00-0800', '2026-03-01T09:00:00Z'],
  ])('%s is %s', (given, instant) => {
    expect(instantOf(given)).toBe(instant);
  });

  test.each([
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+05:60',
    '2026-02-30T00:00:00+00:00',
    '2026-01-01T24:00:00+00:00',
    '2026-01-01T00:00:00 00:00',
    '2026-01-01T00:00:00+05',
    '0001-01-01T00:00:00+05:30',
    '9999-12-31T23:59:59-05:30',
    '2026-01-01T00:00:00.1234567890+00:00',
  ])('%s is refused', (given) => {
    expect(instantOf(given)).toBeUndefined();
  });
});

describe('the rendition in OpenAPI 3.0', () => {
  test('is valid for an independent validator, with every operation and every named schema', async () => {
    expect(await new Validator().validate(structuredClone({ ...document30 }))).toMatchObject({ valid: true });
    expect(document30).toMatchObject({ openapi: '3.0.3' });
    expect(Object.keys(document30.paths)).toEqual(Object.keys(document.paths));
    expect(Object.keys(document30.components.schemas)).toEqual(Object.keys(document.components.schemas));
  });

  test('uses no word of 3.1', () => {
    for (const schema of schemasIn(document30)) {
      expect(Array.isArray(schema['type'])).toBe(false);
      expect(schema['type']).not.toBe('null');
      expect(schema).not.toHaveProperty('const');
      expect(typeof schema['exclusiveMinimum']).not.toBe('number');
      if ('$ref' in schema) expect(Object.keys(schema)).toEqual(['$ref']);
    }
  });

  test('has no union, which clients of OpenAPI Generator cannot send with a list, and names its types', () => {
    const { AnswerKeyInput, QuestionInput } = document30.components.schemas;
    expect(AnswerKeyInput).toEqual({
      description: expect.stringMatching(/^A number, its text, or a list of accepted numbers and texts/),
    });
    expect(asObject(QuestionInput?.['properties'])).toMatchObject({
      answer: { allOf: [{ $ref: '#/components/schemas/AnswerKeyInput' }], nullable: true },
    });
    for (const schema of schemasIn(document30)) expect(branchesOf(schema)).toEqual([]);
  });

  test('cannot be made of a union without a description', () => {
    const union = { components: { schemas: { Key: { anyOf: [{ type: 'number' }, { type: 'string' }] } } } };
    expect(() => openApi30(union)).toThrow('A union needs a description');
  });

  test('keeps null, bounds and known values', () => {
    const { Submission, QuestionInput, ReEvaluate } = document30.components.schemas;
    expect(asObject(Submission?.['properties'])).toMatchObject({
      status: { type: 'string', 'x-extensible-enum': expect.arrayContaining(['queued', 'graded']) },
      pages: { type: 'integer', format: 'int32', nullable: true },
      queue: { allOf: [{ $ref: '#/components/schemas/QueuePlace' }], nullable: true },
    });
    expect(asObject(QuestionInput?.['properties'])).toMatchObject({
      type: { enum: expect.arrayContaining(['mcq_single']) },
      max_marks: { minimum: 0, exclusiveMinimum: true, maximum: 1000 },
      options: { type: 'array', nullable: true, items: { $ref: '#/components/schemas/OptionInput' } },
    });
    expect(asObject(ReEvaluate?.['properties'])).toMatchObject({
      question_ids: { type: 'array', items: {}, maxItems: 0, nullable: true },
    });
  });
});
