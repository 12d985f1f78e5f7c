import type * as z from 'zod/v4';
import { EACH, type Place } from './exactJson.ts';
import { clientObjects } from './schemas/clientObjects.ts';

/** Places of a body at which its schema has clients' own objects, which are returned as sent. */
export const clientObjectPlaces = (schema: z.core.$ZodType): Place[] => {
  if (clientObjects.has(schema)) return [[]];
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  const within = (name: string, part: z.core.$ZodType): Place[] =>
    clientObjectPlaces(part).map((place) => [name, ...place]);
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return clientObjectPlaces(def.innerType);
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => within(name, field));
    case 'record':
      return within(EACH, def.valueType);
    case 'array':
      return within(EACH, def.element);
    case 'union':
      return def.options.flatMap(clientObjectPlaces);
    default:
      return [];
  }
};
