import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as formats } from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { detailsExamples, examples } from './examples.ts';
import { errors } from './errors.ts';
import { collectSchemas } from './jsonSchemas.ts';
import { openApiDocument } from './openapi.ts';
import { contract } from './routes/index.ts';
import * as schemas from './schemas/index.ts';

interface Operation {
  operationId: string;
  tags: string[];
  security: { ApiKey?: string[] }[];
  requestBody?: { required: boolean; content: Content };
  'x-provisional'?: string[];
  'x-required-scope'?: string;
  responses: Record<string, { $ref?: string; headers?: Record<string, unknown>; content?: Content }>;
  parameters: { name: string; in: string; schema: Record<string, unknown> }[];
}

interface Content {
  [mediaType: string]: { schema: { properties?: object }; examples?: Record<string, { $ref: string }> };
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, { headers: Record<string, unknown> }>;
  };
}

let document: Document;
let operations: Operation[];

beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await openApiDocument()));
  operations = Object.values(document.paths).flatMap((path) => Object.values(path));
});

const operation = (id: string): Operation => {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`No operation ${id}.`);
  return found;
};

describe('openapi.json', () => {
  test('is valid OpenAPI 3.1 for an independent validator', async () => {
    const outcome = await new Validator().validate(structuredClone({ ...document }));
    expect(outcome).toMatchObject({ valid: true });
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: '/v1' }]);
  });

  test('is refused by that validator when it is broken', async () => {
    const broken = structuredClone({ ...document, paths: { '/me': { get: { responses: 'none' } } } });
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test('has every route of the contract once, under its own operationId', () => {
    const routes = Object.entries(contract).flatMap(([tag, group]) =>
      Object.keys(group).map((route) => `${tag}.${route}`),
    );
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(routes.sort());
  });

  test('has each named schema once, and no unresolved reference', () => {
    const text = JSON.stringify(document);
    const refs = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
    );
    expect(refs).toEqual(new Set(Object.keys(document.components.schemas)));
    expect(text).not.toContain('$defs');
    expect(text).not.toContain('__schema');
  });

  test('one name for two different schemas is refused', () => {
    const collected = collectSchemas();
    collected.schemaOf(z.object({ a: z.string() }).meta({ id: 'Twice' }), 'output');
    expect(() => collected.schemaOf(z.object({ b: z.string() }).meta({ id: 'Twice' }), 'output')).toThrow(
      /Twice/,
    );
  });

  test('a custom check without .meta({ type }) is refused at any depth; with a type it becomes that type', () => {
    const silent = z.custom<object>((value) => value !== null);
    const { schemaOf } = collectSchemas();
    for (const schema of [silent, z.object({ a: silent.optional() })])
      expect(() => schemaOf(schema, 'input')).toThrow(/custom/);
    expect(schemaOf(silent.meta({ type: 'object' }), 'input')).toEqual({ type: 'object' });
  });

  test('every named schema compiles as JSON Schema 2020-12, and its example passes it', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'doc', components: document.components });
    for (const name of Object.keys(document.components.schemas)) {
      const validate = ajv.compile({ $ref: `doc#/components/schemas/${name}` });
      const example = examples[name];
      if (example !== undefined)
        expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
    }
  });

  test('each operation has an example of its body and of its answer, and each example is used', () => {
    const used = new Set<string>();
    for (const { operationId, requestBody, responses } of operations) {
      const [answer] = Object.entries(responses).filter(([status]) => Number(status) < 400);
      for (const [part, content] of Object.entries({
        body: requestBody?.content,
        answer: answer?.[1].content,
      })) {
        const media = content?.['application/json'];
        if (media === undefined) continue;
        const names = Object.values(media.examples ?? {}).map(({ $ref }) => $ref.split('/').at(-1) ?? '');
        const saysNothing = JSON.stringify(media.schema.properties) === '{}';
        expect([operationId, part, names.length]).toEqual([operationId, part, saysNothing ? 0 : 1]);
        for (const name of names) used.add(name);
      }
    }
    expect([...used].sort()).toEqual(Object.keys(examples).sort());
  });

  test('every example passes the schema that the service itself uses', () => {
    for (const [name, example] of Object.entries(examples)) {
      const schema = Object.entries(schemas).find(([exported]) => exported === name)?.[1];
      if (!(schema instanceof z.ZodType)) throw new Error(`No schema ${name}.`);
      expect([name, z.safeParse(schema, example).error?.issues]).toEqual([name, undefined]);
    }
    for (const [code, example] of Object.entries(detailsExamples)) {
      const details = Object.entries(errors).find(([of]) => of === code)?.[1].details;
      if (details === undefined) throw new Error(`${code} has no details.`);
      expect([code, z.safeParse(details, example).error?.issues]).toEqual([code, undefined]);
    }
  });
});

describe('key and scope', () => {
  test('each operation names the key and the scope it needs; GET /me needs none', () => {
    expect(operation('account.me').security).toEqual([{ ApiKey: [] }]);
    expect(operation('account.me')['x-required-scope']).toBeUndefined();
    expect(operation('submissions.create').security).toEqual([{ ApiKey: ['evaluation:write'] }]);
    expect(operation('submissions.create')['x-required-scope']).toBe('evaluation:write');
    for (const { security } of operations) expect(security).toHaveLength(1);
  });

  test('each operation requires the scope of its route, and lists 401 and 403', () => {
    for (const [tag, group] of Object.entries(contract)) {
      for (const [route, { metadata }] of Object.entries(group)) {
        const { security, responses, ...more } = operation(`${tag}.${route}`);
        const roles = metadata.scope === null ? [] : [metadata.scope];
        expect([tag, route, security, more['x-required-scope'] ?? null]).toEqual([
          tag,
          route,
          [{ ApiKey: roles }],
          metadata.scope,
        ]);
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']));
      }
    }
  });
});

describe('failures', () => {
  const failing = (id: string) =>
    Object.keys(operation(id).responses)
      .map(Number)
      .filter((status) => status >= 400);

  test('an operation lists exactly the statuses that it can fail with', () => {
    expect(failing('account.me')).toEqual([401, 403, 429, 500, 503]);
    expect(failing('submissions.feed')).toEqual([400, 401, 403, 422, 429, 500, 503]);
    expect(failing('submissions.create')).toEqual([400, 401, 402, 403, 404, 409, 415, 422, 429, 500, 503]);
    expect(failing('submissions.get')).toEqual([401, 403, 404, 429, 500, 503]);
  });

  test('every answer to a request that was counted may carry the three RateLimit headers', () => {
    const names = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    for (const [name, { headers }] of Object.entries(document.components.responses)) {
      const isCounted = name !== 'Unauthorized' && name !== 'Forbidden';
      expect([name, names.every((header) => header in headers)]).toEqual([name, isCounted]);
    }
    for (const { operationId, responses } of operations)
      for (const { headers } of Object.values(responses))
        if (headers !== undefined)
          expect([operationId, Object.keys(headers)]).toEqual([operationId, expect.arrayContaining(names)]);
  });

  test('every answer carries X-Request-Id, and 429 and 503 carry Retry-After', () => {
    for (const { responses } of operations) {
      for (const { $ref, headers } of Object.values(responses)) {
        expect(Object.keys(headers ?? errorHeaders($ref))).toContain('X-Request-Id');
      }
    }
    const retried = Object.entries(document.components.responses).filter(
      ([, { headers }]) => 'Retry-After' in headers,
    );
    expect(retried.map(([name]) => name)).toEqual(['TooManyRequests', 'Unavailable']);
  });

  const errorHeaders = (ref = '') =>
    document.components.responses[ref.slice(ref.lastIndexOf('/') + 1)]?.headers ?? {};
});

describe('conventions', () => {
  test('a body is required, except where the call takes none', () => {
    expect(operation('exams.create').requestBody?.required).toBe(true);
    expect(operation('exams.open').requestBody?.required).toBe(false);
  });

  test('limit is a whole number from 1 to 200, default 50', () => {
    const limit = operation('submissions.feed').parameters.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({
      in: 'query',
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    });
  });
});

test('docs/open-points.md has each id once, and the operations carry those of its first part and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/open-points.md'), 'utf8');
  const idsOf = (text: string | undefined): string[] =>
    [...(text ?? '').matchAll(/^### (.+)$/gm)].map(([, id = '']) => id);
  const [, inOperations] = page.split(/^## /m);
  const carried = new Set(operations.flatMap((one) => one['x-provisional'] ?? []));
  expect(idsOf(inOperations).toSorted()).toEqual([...carried].toSorted());
  expect(new Set(idsOf(page)).size).toBe(idsOf(page).length);
});
