import * as z from 'zod/v4';

/*
 * A Postman collection (v2.1, which Bruno and Insomnia import) with a request for each operation of openapi.json, and
 * its example as the body. The variables `base` and `key` are the address and the API key.
 */

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  description: z.string().optional(),
});
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()).min(1),
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z.object({
          examples: z.record(z.string(), z.object({ $ref: z.string() })).default({}),
        }),
      }),
    })
    .optional(),
});
type Operation = z.infer<typeof Operation>;
const Document = z.object({
  info: z.object({ title: z.string(), version: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }),
});

/** @param document openapi.json @throws ZodError when the document has another form */
export const collectionOf = (document: unknown): object => {
  const { info, tags, paths, components } = Document.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  /** A body without an example has no required field. */
  const bodyOf = ({ requestBody }: Operation): unknown => {
    if (requestBody === undefined) return undefined;
    const [reference] = Object.values(requestBody.content['application/json'].examples);
    if (reference === undefined) return {};
    return components.examples[reference.$ref.replace('#/components/examples/', '')]?.value;
  };
  return {
    info: {
      name: info.title,
      version: info.version,
      description: 'Set the variables `base` (the address, which ends in /v1) and `key` (an API key).',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{key}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'base', value: 'http://localhost:8080/v1' },
      { key: 'key', value: '' },
    ],
    item: tags.map((tag) => ({
      name: tag.name,
      description: tag.description,
      item: operations
        .filter(({ operation }) => operation.tags.includes(tag.name))
        .map(({ path, method, operation }) => requestOf(path, method, operation, bodyOf(operation))),
    })),
  };
};

const requestOf = (path: string, method: string, operation: Operation, body: unknown): object => {
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const placed = (place: 'path' | 'query' | 'header') =>
    operation.parameters.filter((one) => one.in === place);
  /** Optional ones are there, and off. */
  const switchable = (place: 'query' | 'header') =>
    placed(place).map(({ name, description, required }) => ({
      key: name,
      value: '',
      ...(description === undefined ? {} : { description }),
      disabled: required !== true,
    }));
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      ...(operation.description === undefined ? {} : { description: operation.description }),
      header: [
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...switchable('header'),
      ],
      url: {
        raw: `{{base}}/${segments.join('/')}`,
        host: ['{{base}}'],
        path: segments,
        variable: placed('path').map(({ name }) => ({ key: name, value: '' })),
        query: switchable('query'),
      },
      ...(body === undefined
        ? {}
        : {
            body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
          }),
    },
  };
};
