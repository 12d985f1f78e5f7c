import * as z from 'zod/v4';
import { exactTextOf } from '../exactJson.ts';
import { bodyBounds } from './bodyBounds.ts';
import { MARK_STEP, steppedMarks } from './markStep.ts';

/**
 * The building blocks of all bodies (docs/api/conventions.md). A broken rule carries the field code that the
 * client sees in `params.code`, and where the rule has an error of its own, that code in `params.failure`.
 */

/**
 * Lengths are counted in code points, as a person counts characters. A string never has more of them than UTF-16
 * units, and never fewer than half: only in between is counting needed, which is slow on a paper of long texts.
 */
export const atMost = (value: string, max: number): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max);

/** Longer plain text: may contain `<` and `>`. */
export const longText = (max: number) =>
  z
    .string()
    .refine((value) => atMost(value, max), {
      error: `At most ${max} characters.`,
      params: { code: 'too_long' },
    })
    .meta({ maxLength: max });

/** Short identifiers: titles, labels, names. */
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

/** Client ids: `external_ref`, `external_id`. */
export const clientId = requiredLongText(128);

export const uuid = z.uuid();

/** Printed with milliseconds, in UTC. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** `YYYY-MM-DD`, a date that exists. */
export const date = z.iso.date();

/** Above 0, at most 1000, in steps of `MARK_STEP`. */
export const maxMarks = steppedMarks(z.number().gt(0).lte(1000)).meta({
  exclusiveMinimum: 0,
  maximum: 1000,
  multipleOf: MARK_STEP,
});

/** Marks that are not bound to half steps, held exactly: more decimal places than anyone marks with are refused. */
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

/** Whether an object that is kept as text (see `exactJson.ts`) is the text of one. */
const isText = (text: string | null): boolean => {
  if (text === null) return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/** As long as JSON of it is, with its numbers as they were sent. */
const jsonBytes = (value: Record<string, unknown>): number =>
  Buffer.byteLength(exactTextOf(value) ?? JSON.stringify(value));

/**
 * A client's own JSON object, up to 2 KB serialised, returned as sent: whatever its fields are called, so that it is not
 * taken apart by a schema.
 */
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
  // Last: a refinement forgets what was said of the schema before it.
  .meta({ type: 'object', additionalProperties: true })
  .register(bodyBounds, { isClientObject: true });

/** The list envelope. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable(), has_more: z.boolean() });

/** Something the client should know about an accepted request. */
export const Warning = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'Warning', description: 'Something to know about an accepted request.' });
export type Warning = z.infer<typeof Warning>;

/**
 * Query of every list (docs/api/conventions.md#lists). Values stay the strings that were sent, so that what a client sends and what a
 * handler gets have one type. Digits only: `1e2` and ` 5 ` are refused.
 */
export const listQuery = (maximum: number, standard: number) => ({
  limit: z
    .string()
    .refine((value) => /^[0-9]{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= maximum, {
      error: `A whole number from 1 to ${maximum}.`,
      params: { code: 'out_of_range' },
    })
    .optional()
    // A number to the client, though the query string brings it as text.
    .meta({ type: 'integer', minimum: 1, maximum, default: standard }),
  // Of any length: one that is too long is not ours, and answers invalid_cursor like any other.
  cursor: z.string().optional(),
  updated_since: z.iso
    .datetime({ error: 'An ISO 8601 UTC timestamp that ends in Z.' })
    // PostgreSQL reads no more digits than it has room for; nine of a second are more than it keeps.
    .max(30, { error: 'At most 9 digits of a second.' })
    // ISO 8601 has a year 0; PostgreSQL has none.
    .refine((value) => !value.startsWith('0000'), { error: 'There is no such year.' })
    .optional(),
});

/** A yes or no of a query string. */
export const flag = z.enum(['true', 'false']);

/** What a DELETE answers. */
export const Deleted = z.object({ id: uuid, deleted: z.literal(true) }).meta({ id: 'Deleted' });
export type Deleted = z.infer<typeof Deleted>;

/** The parts of a comma list such as `include`; empty ones do not count. */
export const listed = (value: string | undefined): Set<string> =>
  new Set((value ?? '').split(',').filter((part) => part !== ''));

/** A comma list of these words; what is not known is refused, so that a typing error does not pass for "no". */
export const include = (...words: string[]) =>
  z
    .string()
    .refine((value) => [...listed(value)].every((part) => words.includes(part)), {
      error: `A comma list of ${words.join(', ')}.`,
    })
    .optional()
    .meta({ description: `Comma list of ${words.map((word) => `\`${word}\``).join(', ')}.` });

/** A field of the request shape whose feature is not released (docs/api/conventions.md#versions): anything in it is refused, nothing is not. */
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
      maxItems: 0,
      description: 'Reserved: anything in it answers 422 feature_not_available.',
    });
