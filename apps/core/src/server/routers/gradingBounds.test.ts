import { expect, test } from 'vitest';
import * as z from 'zod/v4';
import { gradingRouter } from './grading.ts';

/** Converts inputs to JSON Schema, which has one name for each kind of bound, however the zod schema was written. */
const inputs = Object.entries(Object(gradingRouter._def.procedures)).map(([name, procedure]) => {
  const definition: unknown = Reflect.get(Object(procedure), '_def');
  const schemas: unknown = Reflect.get(Object(definition), 'inputs');
  const schema: unknown = Array.isArray(schemas) ? schemas[0] : undefined;
  if (!(schema instanceof z.ZodType)) throw new Error(`${name} takes anything`);
  return [name, z.toJSONSchema(schema, { io: 'input' })] as const;
});

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Finds places of a schema whose size is not bounded. */
const unbounded = (node: unknown, at: string, root: unknown = node): string[] => {
  if (!isNode(node)) return [];
  const reference = /^#\/\$defs\/(\w+)$/.exec(String(node['$ref']))?.[1];
  if (reference !== undefined) {
    return unbounded(Reflect.get(Object(Reflect.get(Object(root), '$defs')), reference), at, root);
  }
  const { type, properties, items, additionalProperties } = node;
  const choices = [node['anyOf'], node['oneOf'], node['allOf']].find(Array.isArray);
  if (choices !== undefined)
    return choices.flatMap((choice, index) => unbounded(choice, `${at}|${index}`, root));
  if (node['const'] !== undefined || node['enum'] !== undefined) return [];
  switch (type) {
    case 'string': {
      const { maxLength, format, pattern } = node;
      const isFixed = typeof pattern === 'string' && /^\^(?:\[[^\]]+\]\{\d+\})+\$$/.test(pattern);
      return maxLength !== undefined || format === 'uuid' || isFixed ? [] : [at];
    }
    case 'array':
      return [...(node['maxItems'] === undefined ? [at] : []), ...unbounded(items, `${at}[]`, root)];
    case 'object': {
      const isMap = isNode(additionalProperties);
      const keys = isMap ? unbounded(node['propertyNames'], `${at}{key}`) : [];
      return [
        ...(isMap && node['maxProperties'] === undefined ? [at] : []),
        ...keys,
        ...unbounded(additionalProperties, `${at}{}`, root),
        ...Object.entries(isNode(properties) ? properties : {}).flatMap(([name, child]) =>
          unbounded(child, `${at}.${name}`, root),
        ),
      ];
    }
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return [];
    default:
      // Accepts any value; `boundedBy` names the schema that bounds it.
      return typeof node['boundedBy'] === 'string' ? [] : [at];
  }
};

test.each(inputs)('all input of %s is bounded', (name, schema) => {
  expect(unbounded(schema, name)).toEqual([]);
});

test.each([
  ['a string', z.string()],
  ['a list', z.array(z.boolean())],
  ['a string of a list', z.array(z.string()).max(3)],
  ['a map', z.record(z.string().max(3), z.boolean())],
  ['a key of a map', z.record(z.string(), z.boolean()).meta({ maxProperties: 3 })],
  ['anything', z.object({ any: z.unknown() })],
  ['a pattern with repetition', z.string().regex(/^a+$/)],
  ['one of several', z.union([z.null(), z.object({ text: z.string() })])],
])('%s without a bound is found', (_name, schema) => {
  expect(unbounded(z.toJSONSchema(schema, { io: 'input' }), 'input')).toHaveLength(1);
});
