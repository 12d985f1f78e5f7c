import type { BodyShape } from '@evaluation/rest-contract/body-shape';

/* Stand-ins for values that are too long to be kept, and the lookup of fields by the bytes of their names. */

/** Larger than 2 KB as JSON, so the schema refuses it. */
export const LONG_CLIENT_OBJECT: Readonly<Record<string, string>> = Object.freeze({ '': 'x'.repeat(2048) });

const longTexts = new Map<string, string>();

/** A text that the schema refuses as longer than `maxText` code points. Cached, so repeats take no memory. */
export const longText = (maxText: number, withNul: boolean): string => {
  const key = `${maxText} ${withNul}`;
  const text = longTexts.get(key) ?? 'x'.repeat(2 * maxText + 1) + (withNul ? '\u0000' : '');
  longTexts.set(key, text);
  return text;
};

interface KnownField {
  name: string;
  shape: BodyShape;
}

export interface FieldNames {
  find(bytes: Uint8Array, from: number, to: number): KnownField | undefined;
  byName(name: string): KnownField | undefined;
}

const namesOf = new WeakMap<NonNullable<BodyShape['object']>, FieldNames>();

/** Returns a lookup that finds a field by the bytes of its name, without creating a string. */
export const fieldNames = (object: NonNullable<BodyShape['object']>): FieldNames => {
  const known = namesOf.get(object);
  if (known !== undefined) return known;
  const byLength: { bytes: Buffer; field: KnownField }[][] = [];
  for (const [name, shape] of object.fields) {
    const bytes = Buffer.from(name);
    (byLength[bytes.length] ??= []).push({ bytes, field: { name, shape } });
  }
  const made: FieldNames = {
    find: (bytes, from, to) => {
      const candidates = byLength[to - from];
      if (candidates === undefined) return undefined;
      next: for (const candidate of candidates) {
        for (let index = 0; index < candidate.bytes.length; index += 1) {
          if (candidate.bytes[index] !== bytes[from + index]) continue next;
        }
        return candidate.field;
      }
      return undefined;
    },
    byName: (name) => {
      const shape = object.fields.get(name);
      return shape === undefined ? undefined : { name, shape };
    },
  };
  namesOf.set(object, made);
  return made;
};
