import * as z from 'zod/v4';
import { bodyBounds } from './schemas/bodyBounds.ts';

/**
 * The values that a reader of a body must keep, derived once from the body's schema. A place may accept several kinds
 * of value (a union); a kind without an entry is invalid there.
 */
export interface BodyShape {
  object?: {
    fields: ReadonlyMap<string, BodyShape>;
    /** `skip`: the schema ignores unknown fields. `refuse`: it reports each as `unknown_field`. */
    unknown: 'skip' | 'refuse';
  };
  record?: { entries: BodyShape; maxEntries: number };
  array?: { items: BodyShape; maxItems: number };
  /** A client's own JSON object, which no schema describes. */
  isClientObject?: true;
  /** Maximum number of code points of a text; undefined: not bounded by the schema. */
  maxText?: number;
}

/** Bound for a list without a bound in its schema. */
const LONGEST_LIST = 10_000;

export const shapeOf = (schema: z.core.$ZodType): BodyShape => {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  if (bodyBounds.get(schema)?.isClientObject === true) return { isClientObject: true };
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return shapeOf(def.innerType);
    case 'object': {
      const fields = new Map(Object.entries(def.shape).map(([name, field]) => [name, shapeOf(field)]));
      return { object: { fields, unknown: def.catchall?._zod.def.type === 'never' ? 'refuse' : 'skip' } };
    }
    case 'record': {
      const maximum = z.globalRegistry.get(schema)?.['maxProperties'];
      return {
        record: {
          entries: shapeOf(def.valueType),
          maxEntries: typeof maximum === 'number' ? maximum : LONGEST_LIST,
        },
      };
    }
    case 'array': {
      const maximum = schema._zod.bag['maximum'];
      return {
        array: {
          items: shapeOf(def.element),
          maxItems: typeof maximum === 'number' ? maximum : LONGEST_LIST,
        },
      };
    }
    case 'union':
      return Object.assign({}, ...def.options.map(shapeOf));
    case 'string': {
      const maximum = bodyBounds.get(schema)?.maxText ?? z.globalRegistry.get(schema)?.['maxLength'];
      return typeof maximum === 'number' ? { maxText: maximum } : {};
    }
    default:
      return {};
  }
};

/**
 * Maximum number of values that are kept of a body of this shape; each item and each field counts once. Of a list that
 * is too long, one item beyond the limit is kept, so that the schema refuses the list.
 */
export const mostValues = (shape: BodyShape): number => {
  const { object, record, array } = shape;
  if (object !== undefined) {
    return [...object.fields.values()].reduce((sum, field) => sum + mostValues(field), 1);
  }
  if (record !== undefined) return 1 + (record.maxEntries + 1) * mostValues(record.entries);
  if (array !== undefined) return 1 + (array.maxItems + 1) * mostValues(array.items);
  return 1;
};
