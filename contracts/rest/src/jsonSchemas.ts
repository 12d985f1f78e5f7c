import * as z from 'zod/v4';
import { forClients, isObject, type JsonSchema } from './clientSchemas.ts';

/*
 * JSON Schemas of the contract for openapi.json. A schema with `.meta({ id })` becomes one named component that other
 * schemas refer to; schemas without a name are written inline.
 */

/** `input`: request bodies. `output`: response bodies. */
type Direction = 'input' | 'output';

interface SchemaCollector {
  /** Returns the schema to write at the place of use; null if `schema` is not a zod schema (a route without a body). */
  schemaOf(schema: unknown, direction: Direction): JsonSchema | null;
  components(): Record<string, JsonSchema>;
}

/** Throws if two different schemas have the same name, or if a recursive schema has no name. */
export const collectSchemas = (): SchemaCollector => {
  const named = new Map<string, JsonSchema>();

  const add = (id: string, schema: JsonSchema) => {
    const known = named.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`The name ${id} stands for two different schemas in openapi.json.`);
    }
    named.set(id, schema);
  };

  return {
    schemaOf(schema, direction) {
      if (!isZod(schema)) return null;
      const silent = silentSchemas();
      // Within a tuple, a named root schema becomes a reference instead of being written inline.
      const { prefixItems, $defs = {} } = z.toJSONSchema(z.tuple([schema]), {
        target: 'draft-2020-12',
        io: direction,
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => silent.note(zodSchema, jsonSchema),
      });
      silent.refuse();
      const anyJson = new Set<string>();
      for (const [id, definition] of Object.entries($defs)) {
        if (!id.startsWith('__')) continue;
        if (!isAnyJson(definition))
          throw new Error('A recursive schema needs a name: give it a .meta({ id }).');
        anyJson.add(`#/$defs/${id}`);
      }
      const tidy = (part: unknown) => forClients(asSchema(tidied(part, { direction, anyJson })), direction);
      for (const [id, definition] of Object.entries($defs)) {
        if (!id.startsWith('__')) add(id, tidy({ ...definition, id: undefined }));
      }
      return tidy(prefixItems?.[0]);
    },
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
};

const isZod = (schema: unknown): schema is z.ZodType =>
  typeof schema === 'object' && schema !== null && '_zod' in schema;

const asSchema = (part: unknown): JsonSchema => {
  if (!isObject(part)) throw new Error('A JSON Schema is an object.');
  return part;
};

/**
 * Finds custom checks that JSON Schema cannot express and that have no `.meta({ type })`: they would be written as
 * "anything". A schema with metadata is a copy, so its original is not reported.
 */
const silentSchemas = () => {
  const silent = new Set<z.core.$ZodType>();
  return {
    note(schema: z.core.$ZodType, written: JsonSchema): void {
      if (!WORDLESS.has(schema._zod.def.type)) return;
      if (written['type'] === undefined) silent.add(schema);
      else
        for (let parent = schema._zod.parent; parent !== undefined; parent = parent._zod.parent)
          silent.delete(parent);
    },
    refuse(): void {
      for (const { _zod } of silent)
        throw new Error(`JSON Schema has no word for a ${_zod.def.type} schema: give it a .meta({ type }).`);
    },
  };
};

const WORDLESS: ReadonlySet<string> = new Set([
  'custom',
  'transform',
  'date',
  'bigint',
  'map',
  'set',
  'symbol',
]);

/** The definition of `z.json()` has six branches that refer to themselves. */
const isAnyJson = (definition: unknown): boolean => {
  const branches = isObject(definition) && Array.isArray(definition['anyOf']) ? definition['anyOf'] : [];
  const types = new Set(branches.map((branch: unknown) => (isObject(branch) ? branch['type'] : undefined)));
  return ANY_JSON.size === types.size && [...types].every((type) => ANY_JSON.has(type));
};

const ANY_JSON: ReadonlySet<unknown> = new Set(['array', 'boolean', 'null', 'number', 'object', 'string']);

interface Tidying {
  direction: Direction;
  anyJson: ReadonlySet<string>;
}

const tidied = (part: unknown, how: Tidying): unknown => {
  if (Array.isArray(part)) return part.map((item: unknown) => tidied(item, how));
  if (!isObject(part)) return part;
  const ref = part['$ref'];
  if (typeof ref === 'string' && how.anyJson.has(ref)) return {};
  return Object.fromEntries(
    Object.entries(part)
      .filter(([keyword, value]) => value !== undefined && !isNoise(part, keyword, value, how.direction))
      .map(([keyword, value]) => [keyword, tidiedKeyword(keyword, value, how)]),
  );
};

const tidiedKeyword = (keyword: string, value: unknown, how: Tidying): unknown => {
  if (keyword === '$ref' && typeof value === 'string')
    return value.replace('#/$defs/', '#/components/schemas/');
  return tidied(value, how);
};

const isNoise = (part: JsonSchema, keyword: string, value: unknown, direction: Direction): boolean => {
  switch (keyword) {
    case 'additionalProperties':
      // Responses may gain fields in later versions (docs/api/conventions.md#versions), so they allow additional
      // properties.
      return direction === 'output' && value === false;
    case 'propertyNames':
      return true;
    case 'pattern':
      return part['type'] !== 'string';
    case 'minimum':
      return value === Number.MIN_SAFE_INTEGER;
    case 'maximum':
      return value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
};
