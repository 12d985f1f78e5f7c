import * as z from 'zod/v4';

/**
 * JSON Schemas of the contract for openapi.json. A schema with `.meta({ id })` becomes one named component and is
 * referred to everywhere else; what has no name is written in place.
 */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** `input`: what a client may send. `output`: what the service answers. */
export type Direction = 'input' | 'output';

export interface SchemaCollector {
  /** The schema to write at the place of use; null for what is no zod schema (a route without a body). */
  schemaOf(schema: unknown, direction: Direction): JsonSchema | null;
  /** Every named schema seen so far, by name, in alphabetical order. */
  components(): Record<string, JsonSchema>;
}

/** Throws where one name stands for two different schemas, or where a recursive schema has no name. */
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
      // In a tuple a named root is a reference like any other named part, instead of being written in place.
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
      const tidy = (part: unknown) => tidied(part, { direction, anyJson });
      for (const [id, definition] of Object.entries($defs)) {
        if (!id.startsWith('__')) add(id, asSchema(tidy({ ...definition, id: undefined })));
      }
      return asSchema(tidy(prefixItems?.[0]));
    },
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
};

const isZod = (schema: unknown): schema is z.ZodType =>
  typeof schema === 'object' && schema !== null && '_zod' in schema;

const isObject = (part: unknown): part is JsonSchema =>
  typeof part === 'object' && part !== null && !Array.isArray(part);

const asSchema = (part: unknown): JsonSchema => {
  if (!isObject(part)) throw new Error('A JSON Schema is an object.');
  return part;
};

/**
 * Finds checks in code for which JSON Schema has no word and of which no `.meta({ type })` says anything either: they
 * would pass for "anything". A schema with metadata is a copy, so what its original lacks does not count.
 */
const silentSchemas = () => {
  const silent = new Set<z.core.$ZodType>();
  return {
    note(schema: z.core.$ZodType, written: JsonSchema): void {
      if (!WORDLESS.has(schema._zod.def.type)) return;
      if (written['type'] === undefined) silent.add(schema);
      else for (let of = schema._zod.parent; of !== undefined; of = of._zod.parent) silent.delete(of);
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

/** What `z.json()` becomes: any JSON value, said in six branches that refer to themselves. */
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

/** Leaves out what zod adds beyond the contract, and points references to the components. */
const tidied = (part: unknown, how: Tidying): unknown => {
  if (Array.isArray(part)) return part.map((item: unknown) => tidied(item, how));
  if (!isObject(part)) return part;
  const ref = part['$ref'];
  if (typeof ref === 'string' && how.anyJson.has(ref)) return {};
  return Object.fromEntries(
    Object.entries(part)
      .filter(([keyword, value]) => value !== undefined && !isNoise(part, keyword, value, how.direction))
      .map(([keyword, value]) => [keyword, tidiedKeyword(part, keyword, value, how)]),
  );
};

const tidiedKeyword = (part: JsonSchema, keyword: string, value: unknown, how: Tidying): unknown => {
  if (keyword === '$ref' && typeof value === 'string')
    return value.replace('#/$defs/', '#/components/schemas/');
  if (keyword === 'pattern' && part['format'] === 'date-time') return 'Z$';
  return tidied(value, how);
};

const isNoise = (part: JsonSchema, keyword: string, value: unknown, direction: Direction): boolean => {
  switch (keyword) {
    case 'additionalProperties':
      // Answers gain fields over time (docs/api/conventions.md#versions), whatever zod says of the ones known today.
      return direction === 'output' && value === false;
    case 'propertyNames':
      return true;
    case 'pattern':
      return part['type'] !== 'string' || part['format'] === 'uuid' || part['format'] === 'date';
    case 'minimum':
      return value === Number.MIN_SAFE_INTEGER;
    case 'maximum':
      return value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
};
