import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

interface ValueSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, ValueSchema>;
  additionalProperties?: boolean | ValueSchema;
  items?: ValueSchema;
  $ref?: string;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
}
interface RootSchema extends ValueSchema {
  $defs: Record<string, ValueSchema>;
}
export interface Value {
  /** Path of the value, such as `core.settings.LEASE_SECONDS`. */
  path: string;
  schema: ValueSchema;
  default: unknown;
}

/** Values of a chart with their schemas, in the order of values.schema.json. */
export const readValues = async (chart: string): Promise<Value[]> => {
  const root = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')) as RootSchema;
  const defaults: unknown = parse(await readFile(join(chart, 'values.yaml'), 'utf8'));
  // Keywords beside a `$ref` override the shared schema.
  const resolved = (schema: ValueSchema): ValueSchema => {
    if (schema.$ref === undefined) return schema;
    const target = root.$defs[schema.$ref.replace('#/$defs/', '')];
    if (target === undefined) throw new Error(`no ${schema.$ref}`);
    const { $ref: _, ...own } = schema;
    return { ...target, ...own };
  };
  const below = (schema: ValueSchema, path: string, value: unknown): Value[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const place = path === '' ? name : `${path}.${name}`;
      const own = (value as Record<string, unknown> | undefined)?.[name];
      const one = resolved(property);
      return [{ path: place, schema: one, default: own }, ...below(one, place, own)];
    });
  return below(root, '', defaults);
};
