import { isObject, mapDocument, type JsonSchema } from './clientSchemas.ts';

/**
 * openapi.json in OpenAPI 3.0.3, for generators that do not read 3.1. It says the same in the words of 3.0, except:
 *
 * - The known values of a response stand in `x-extensible-enum` beside `type: string`: those generators make a class
 *   with two texts of an `anyOf` of two texts.
 * - A union, such as an answer key, is any value, and its description names the types. OpenAPI Generator makes a class
 *   of an `anyOf` that in Python and Java neither sends nor reads its lists.
 */
export const openApi30 = (document: object): object => {
  const { info, paths, ...rest } = structuredClone({ info: {}, paths: {}, ...document });
  return {
    ...asObject(mapDocument({ ...rest, paths: withoutRoles(paths) }, inWordsOf30)),
    openapi: '3.0.3',
    info: { ...info, license: { name: 'Proprietary' } },
  };
};

const asObject = (part: unknown): object => {
  if (!isObject(part)) throw new Error('An OpenAPI document is an object.');
  return part;
};

/** In 3.0 only OAuth has roles; `x-required-scope` still says the scope. */
const withoutRoles = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(withoutRoles);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === 'examples') return [key, value];
      return [key, key === 'ApiKey' && Array.isArray(value) ? [] : withoutRoles(value)];
    }),
  );
};

const inWordsOf30 = (schema: JsonSchema): JsonSchema =>
  inlineConst(exclusive(anyValue(nullable(extensible(schema)))));

const branches = ({ anyOf }: JsonSchema): JsonSchema[] =>
  Array.isArray(anyOf) ? anyOf.filter((branch: unknown) => isObject(branch)) : [];

const extensible = (schema: JsonSchema): JsonSchema => {
  const [known, any, ...more] = branches(schema);
  if (known === undefined || any === undefined || more.length > 0) return schema;
  if (!('enum' in known) || known['type'] !== 'string' || any['type'] !== 'string') return schema;
  const { anyOf: _, ...rest } = schema;
  return { ...rest, type: 'string', 'x-extensible-enum': known['enum'] };
};

const anyValue = ({ anyOf, ...rest }: JsonSchema): JsonSchema => {
  if (anyOf !== undefined && rest['description'] === undefined)
    throw new Error('A union needs a description of its types in OpenAPI 3.0.');
  return rest;
};

const isNull = (schema: JsonSchema): boolean => schema['type'] === 'null';

const nullable = (schema: JsonSchema): JsonSchema => {
  const { type, anyOf, ...rest } = schema;
  if (Array.isArray(type)) {
    const [only] = type.filter((each) => each !== 'null');
    return { ...rest, type: only, nullable: true };
  }
  const all = branches(schema);
  const others = all.filter((branch) => !isNull(branch));
  const [only] = others;
  if (anyOf === undefined || only === undefined || others.length === all.length) return schema;
  if (others.length > 1) return { ...rest, anyOf: others, nullable: true };
  // A reference has no siblings in 3.0.
  return '$ref' in only ? { ...rest, allOf: [only], nullable: true } : { ...only, ...rest, nullable: true };
};

const exclusive = (schema: JsonSchema): JsonSchema => {
  const { exclusiveMinimum, ...rest } = schema;
  return typeof exclusiveMinimum === 'number'
    ? { ...rest, minimum: exclusiveMinimum, exclusiveMinimum: true }
    : schema;
};

const inlineConst = (schema: JsonSchema): JsonSchema => {
  const { $ref, const: only, ...rest } = schema;
  if (only !== undefined) return { ...rest, enum: [only] };
  return $ref !== undefined && Object.keys(rest).length > 0 ? { ...rest, allOf: [{ $ref }] } : schema;
};
