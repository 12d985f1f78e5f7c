import { asArray, asObject } from './chatRequest.ts';
import type { Json, JsonObject } from './chatRequest.ts';

/** A small value of a strict-mode schema: closed objects, arrays, unions, enums, $ref. */
export const valueFromSchema = (schema: JsonObject, root: JsonObject = schema): Json => {
  if ('const' in schema) return schema['const'] ?? null;
  const [choice] = asArray(schema['enum']);
  if (choice !== undefined) return choice;
  const [member] = [...asArray(schema['anyOf']), ...asArray(schema['oneOf'])];
  if (member !== undefined) return valueFromSchema(asObject(member), root);
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const path = reference.replace(/^#\/?/, '').split('/').filter(Boolean);
    return valueFromSchema(
      path.reduce((at, key) => asObject(at[key]), root),
      root,
    );
  }
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(asObject(schema['properties'])).map(([key, property]) => [
          key,
          valueFromSchema(asObject(property), root),
        ]),
      );
    case 'array':
      return [valueFromSchema(asObject(schema['items']), root)];
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return null;
  }
};
