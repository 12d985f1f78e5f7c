import * as z from 'zod/v4';
import { fieldPath, type Problem } from './fieldErrors.ts';

/**
 * Finds lists, and objects with keys of the client, that are longer than their schema allows, before the schema is
 * applied: zod parses every item before it checks the length, so refusing a body with a million empty questions would
 * take seconds and gigabytes.
 */
export const listsTooLong = (schema: z.core.$ZodType, body: unknown): Problem[] => {
  const problems: Problem[] = [];
  look(schema, body, [], problems);
  return problems;
};

const look = (
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  problems: Problem[],
): void => {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  const isOver = (maximum: unknown, length: number, things: string): boolean => {
    if (typeof maximum !== 'number' || length <= maximum) return false;
    problems.push({ field: fieldPath(path), code: 'too_long', message: `At most ${maximum} ${things}.` });
    return true;
  };
  switch (def.type) {
    case 'optional':
    case 'nullable':
      look(def.innerType, value, path, problems);
      return;
    case 'object':
      if (typeof value !== 'object' || value === null) return;
      for (const [key, part] of Object.entries(def.shape)) {
        if (Object.hasOwn(value, key)) look(part, Reflect.get(value, key), [...path, key], problems);
      }
      return;
    case 'record':
      if (typeof value !== 'object' || value === null) return;
      // zod has no bound for records, so it is read from the metadata.
      if (isOver(z.globalRegistry.get(schema)?.['maxProperties'], Object.keys(value).length, 'entries'))
        return;
      for (const [key, part] of Object.entries(value)) look(def.valueType, part, [...path, key], problems);
      return;
    case 'array': {
      if (!Array.isArray(value)) return;
      if (isOver(schema._zod.bag['maximum'], value.length, 'items')) return;
      value.forEach((item, index) => look(def.element, item, [...path, index], problems));
      return;
    }
    case 'union':
      // Looks only at the array branch: no union of the contract has two array branches or an object branch with lists.
      for (const option of def.options) {
        if (option._zod.def.type === 'array') look(option, value, path, problems);
      }
      return;
    default:
  }
};
