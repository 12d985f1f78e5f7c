import * as z from 'zod/v4';
import { exactTextOf } from '../exactJson.ts';
import { clientObjects } from './clientObjects.ts';
import { MARK_STEP, steppedMarks } from './markStep.ts';

/**
 * Building blocks of all bodies (docs/api/conventions.md). A refinement sets the field code in `params.code` or, if the
 * rule has an error code of its own, that code in `params.failure`.
 */

/**
 * Lengths are counted in code points. A string has at most as many code points as UTF-16 units and at least half as
 * many, so the slow count is needed only between these bounds.
 */
export const atMost = (value: string, max: number): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max);

/** Plain text that may contain `<` and `>`. */
export const longText = (max: number) =>
  z
    .string()
    .refine((value) => atMost(value, max), {
      error: `At most ${max} characters.`,
      params: { code: 'too_long' },
    })
    .meta({ maxLength: max });

export const shortText = (max: number) =>
  z
    .string()
    .refine((value) => atMost(value, max), {
      error: `At most ${max} characters.`,
      params: { code: 'too_long' },
    })
    .refine((value) => !/[<>]/.test(value), {
      error: 'Cannot contain < or >.',
      params: { code: 'invalid_characters' },
    })
    .meta({ maxLength: max, pattern: '^[^<>]*$' });

const notBlank = {
  check: (value: string) => value.trim() !== '',
  issue: { error: 'Cannot be empty.', params: { code: 'required' } },
} as const;

export const requiredShortText = (max: number) =>
  shortText(max)
    .refine(notBlank.check, notBlank.issue)
    .meta({ minLength: 1, maxLength: max, pattern: '^[^<>]*$' });
export const requiredLongText = (max: number) =>
  longText(max).refine(notBlank.check, notBlank.issue).meta({ minLength: 1, maxLength: max });

/** Ids chosen by the client: `external_ref`, `external_id`. */
export const clientId = requiredLongText(128);

export const uuid = z.uuid();

/** An id in a request. Any text passes: a malformed id is answered like an unknown one, with 404. */
export const givenId = z.string().meta({ format: 'uuid' });

/** UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

const utcTime = (error: string) =>
  z.iso
    .datetime({ error })
    // PostgreSQL refuses longer timestamps and stores at most six digits of a second.
    .max(30, { error: 'At most 9 digits of a second.' })
    // ISO 8601 has a year 0; PostgreSQL does not.
    .refine((value) => !value.startsWith('0000'), { error: 'There is no such year.' });

/** A time that a caller chooses, in UTC; PostgreSQL takes each value. */
export const givenTime = utcTime('An ISO 8601 UTC timestamp that ends in Z.');

const WITH_OFFSET = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d):?(\d\d)$/;

/** The same instant in UTC, with all its digits of a second. Text without an offset stays as it is. */
const inUtc = (text: string): string => {
  const [, seconds, fraction = '', hours, minutes] = WITH_OFFSET.exec(text) ?? [];
  const instant = Date.parse(`${seconds}${hours}:${minutes}`);
  // `Date.parse` moves February 30 to March 2; `utcTime` refuses it.
  if (Number.isNaN(instant) || Number.isNaN(Date.parse(`${seconds}Z`))) return text;
  if (!utcTime('').safeParse(`${seconds}Z`).success) return text;
  return new Date(instant).toISOString().replace(/\.000Z$/, `${fraction}Z`);
};

/** A time in a query. Clients that hold a date-time send their own offset, which becomes `Z` here. */
const sinceTime = z
  .string()
  .overwrite(inUtc)
  .pipe(utcTime('An ISO 8601 timestamp that ends in Z or in an offset.'))
  .meta({ format: 'date-time' });

export const date = z.iso.date();

export const maxMarks = steppedMarks(z.number().gt(0).lte(1000)).meta({
  exclusiveMinimum: 0,
  maximum: 1000,
  multipleOf: MARK_STEP,
});

/** Marks that need not be in steps, with at most 6 decimals, so that they are stored exactly. */
export const decimalMarks = z
  .number()
  .lte(1000)
  .refine((value) => Number(value.toFixed(6)) === value, {
    error: 'At most 6 decimal places.',
    params: { code: 'invalid_step' },
  })
  .meta({ maximum: 1000, description: 'At most 6 decimal places.' });

const MAX_JSON_BYTES = 2048;

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && isText(exactTextOf(value));

/** Whether the text of an object that is kept as text (see `exactJson.ts`) is a JSON object; null counts as one. */
const isText = (text: string | null): boolean => {
  if (text === null) return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const jsonBytes = (value: Record<string, unknown>): number =>
  Buffer.byteLength(exactTextOf(value) ?? JSON.stringify(value));

/** A client's own JSON object, up to 2 KB serialized, returned as sent. Its fields are not validated. */
export const clientObject = z
  .custom<Record<string, unknown>>(isJsonObject, {
    error: 'Expected object.',
    params: { code: 'invalid_type' },
    abort: true,
  })
  .refine((value) => jsonBytes(value) <= MAX_JSON_BYTES, {
    error: 'At most 2 KB as JSON.',
    params: { code: 'too_long' },
  })
  // Last, because a refinement drops the metadata of the schema before it.
  .meta({ type: 'object', additionalProperties: true })
  .register(clientObjects);

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable(), has_more: z.boolean() });

export const Warning = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'Warning', description: 'Something to know about an accepted request.' });
export type Warning = z.infer<typeof Warning>;

/**
 * Query of every list (docs/api/conventions.md#lists). Values stay strings, so that input and output of the schema have
 * one type. Digits only: `1e2` and ` 5 ` are refused.
 */
export const listQuery = (maximum: number, standard: number) => ({
  limit: z
    .string()
    .refine((value) => /^[0-9]{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= maximum, {
      error: `A whole number from 1 to ${maximum}.`,
      params: { code: 'out_of_range' },
    })
    .optional()
    // Documented as an integer, although a query string is text.
    .meta({ type: 'integer', minimum: 1, maximum, default: standard }),
  // Not bounded: a cursor that is too long is answered with invalid_cursor.
  cursor: z.string().optional(),
  updated_since: sinceTime.optional(),
});

export const flag = z.enum(['true', 'false']);

export const Deleted = z.object({ id: uuid, deleted: z.literal(true) }).meta({ id: 'Deleted' });
export type Deleted = z.infer<typeof Deleted>;

/** Words of a comma list such as `include`; empty words are dropped. */
export const listed = (value: string | undefined): Set<string> =>
  new Set((value ?? '').split(',').filter((part) => part !== ''));

/** A comma list of these words; other words are refused, so that a typing error is reported. */
export const include = (...words: string[]) =>
  z
    .string()
    .refine((value) => [...listed(value)].every((part) => words.includes(part)), {
      error: `A comma list of ${words.join(', ')}.`,
    })
    .optional()
    .meta({
      pattern: `^(${words.join('|')})?(,(${words.join('|')})?)*$`,
      description: `Comma list of ${words.map((word) => `\`${word}\``).join(', ')}.`,
    });

/** A field of a feature that is not released (docs/api/conventions.md#versions): null or an empty list. */
export const reserved = (feature: string) =>
  z
    .unknown()
    .refine((value) => value == null || (Array.isArray(value) && value.length === 0), {
      error: `${feature} are not available.`,
      params: { failure: 'feature_not_available' },
    })
    .optional()
    .meta({
      type: ['array', 'null'],
      items: {},
      maxItems: 0,
      description: 'Reserved: anything in it answers 422 feature_not_available.',
    });
