import fc from 'fast-check';
import { asList, asObject, followed, type JsonSchema } from './document.ts';

/** Values of a schema of openapi.json: mostly valid for the schema, if not for rules that a schema cannot state. */
export const valueOf = (given: JsonSchema, depth = 0): fc.Arbitrary<unknown> => {
  const schema = followed(given);
  if ('const' in schema) return fc.constant(schema['const']);
  const choices = asList(schema['enum']);
  if (choices.length > 0) return fc.constantFrom(...choices);
  const members = [...asList(schema['anyOf']), ...asList(schema['oneOf'])];
  if (members.length > 0) return fc.oneof(...members.map((member) => valueOf(asObject(member), depth)));
  const parts = asList(schema['allOf']);
  if (parts.length > 0)
    return fc
      .tuple(...parts.map((part) => valueOf(asObject(part), depth)))
      .map((values) => Object.assign({}, ...values.map(asObject)));
  const types = asList(schema['type']);
  if (types.length > 0) return fc.oneof(...types.map((type) => valueOf({ ...schema, type }, depth)));
  switch (schema['type']) {
    case 'object':
      return objectOf(schema, depth);
    case 'array':
      return fc.array(valueOf(asObject(schema['items']), depth + 1), {
        minLength: numberIn(schema, 'minItems', 0),
        maxLength: Math.min(numberIn(schema, 'maxItems', 4), depth > 2 ? 2 : 4),
      });
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({
        min: Math.max(numberIn(schema, 'minimum', -5), -1_000_000),
        max: Math.min(numberIn(schema, 'maximum', 300), 1_000_000),
      });
    case 'number':
      return fc.integer({ min: -4, max: 20 }).map((halves) => halves / 2);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};

const DEEPEST = 5;

const objectOf = (schema: JsonSchema, depth: number): fc.Arbitrary<unknown> => {
  if (depth > DEEPEST) return fc.constant({});
  const properties = Object.entries(asObject(schema['properties'])).map(
    ([name, property]) => [name, valueOf(asObject(property), depth + 1)] as const,
  );
  const required = asList(schema['required']).map(String);
  const known = fc.record(Object.fromEntries(properties), {
    requiredKeys: required.filter((name) => properties.some(([each]) => each === name)),
  });
  const others = schema['additionalProperties'];
  if (typeof others !== 'object' || others === null) return known;
  const more = fc.dictionary(fc.string({ maxLength: 40 }), valueOf(asObject(others), depth + 1), {
    maxKeys: 3,
  });
  return fc.tuple(known, more).map(([one, other]) => ({ ...other, ...one }));
};

const stringOf = (schema: JsonSchema): fc.Arbitrary<string> => {
  switch (schema['format']) {
    case 'uuid':
      return fc.uuid();
    case 'date':
      return fc
        .date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10));
    case 'date-time':
      return fc
        .date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    default:
      return fc.string({
        unit: fc.constantFrom('a', 'B', '1', ' ', 'é', '<', '\u0928', '🙂', "'", '.'),
        minLength: numberIn(schema, 'minLength', 0),
        maxLength: Math.min(numberIn(schema, 'maxLength', 30), 60),
      });
  }
};

const numberIn = (schema: JsonSchema, name: string, otherwise: number): number => {
  const value = schema[name];
  return typeof value === 'number' ? value : otherwise;
};
