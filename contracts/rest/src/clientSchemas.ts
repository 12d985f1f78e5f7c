export interface JsonSchema {
  [keyword: string]: unknown;
}

/**
 * What generators of clients need beyond valid JSON Schema. Each rule answers one generator that made a wrong client:
 *
 * - Numbers name their size: without `format`, oapi-codegen makes every number a `float32`.
 * - Known values of a response are not the only ones: clients that throw on an unknown value would break when `/v1`
 *   gains one (docs/api/conventions.md#versions).
 * - A `format` stands alone: OpenAPI Generator checks a pattern from the first character, and against a parsed time.
 */

export const isObject = (part: unknown): part is JsonSchema =>
  typeof part === 'object' && part !== null && !Array.isArray(part);

/** Replaces a schema and the schemas inside it, the innermost first. */
const mapSchema = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema => {
  const inside = (part: unknown): unknown => (isObject(part) ? mapSchema(part, change) : part);
  return change(
    Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === 'properties' && isObject(value))
          return [
            keyword,
            Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inside(part)])),
          ];
        if (LISTS_OF_SCHEMAS.has(keyword) && Array.isArray(value)) return [keyword, value.map(inside)];
        return [keyword, SCHEMAS.has(keyword) ? inside(value) : value];
      }),
    ),
  );
};

const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties']);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);

/** Replaces every schema of an OpenAPI document; examples are left alone. */
export const mapDocument = (part: unknown, change: (schema: JsonSchema) => JsonSchema): unknown => {
  if (Array.isArray(part)) return part.map((item: unknown) => mapDocument(item, change));
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === 'examples') return [key, value];
      if (key === 'schema' && isObject(value)) return [key, mapSchema(value, change)];
      if (key === 'schemas' && isObject(value))
        return [
          key,
          Object.fromEntries(
            Object.entries(value).map(([name, schema]) => [
              name,
              isObject(schema) ? mapSchema(schema, change) : schema,
            ]),
          ),
        ];
      return [key, mapDocument(value, change)];
    }),
  );
};

export const forClients = (schema: JsonSchema, direction: 'input' | 'output'): JsonSchema =>
  mapSchema(schema, (part) => opened(formatted(part, direction), direction));

const TEXT_RULES: readonly string[] = ['pattern', 'minLength', 'maxLength'];
const LARGEST_INT32 = 2 ** 31 - 1;

const formatted = (schema: JsonSchema, direction: 'input' | 'output'): JsonSchema => {
  const { type, format } = schema;
  if (type === 'number') return { ...schema, format: 'double' };
  if (type === 'integer') return { ...schema, format: format ?? integerFormat(schema, direction) };
  if (type !== 'string' || format === undefined) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !TEXT_RULES.includes(keyword)));
};

/** Counts of a response are PostgreSQL integers of 32 bits. A request may carry any number up to its maximum. */
const integerFormat = ({ maximum }: JsonSchema, direction: 'input' | 'output'): string =>
  direction === 'output' || (typeof maximum === 'number' && maximum <= LARGEST_INT32) ? 'int32' : 'int64';

const opened = (schema: JsonSchema, direction: 'input' | 'output'): JsonSchema => {
  const known = knownTexts(schema);
  if (direction === 'input' || known === null) return schema;
  const { enum: _, const: __, type: ___, ...rest } = schema;
  return { ...rest, anyOf: [{ type: 'string', enum: known }, { type: 'string' }] };
};

const knownTexts = (schema: JsonSchema): unknown[] | null => {
  if (schema['type'] !== 'string') return null;
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
};
