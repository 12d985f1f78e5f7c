/*
 * Returns a client's own JSON object (`metadata`, `tags`) digit by digit, although JavaScript's numbers hold only 16
 * digits.
 *
 * Most objects have only numbers that JavaScript writes in the same way; they are plain objects everywhere. Any other
 * object is represented as `{ [EXACT]: text }`, its JSON text without white space, from the facade to the database and
 * back; only an answer to a client expands it. A client's object with a field of that name at any depth is kept as text
 * too, so that it cannot be mistaken for this representation.
 */

export const EXACT = '$exact_json';

type ClientObject = Record<string, unknown>;

declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    /** @returns an object that JSON.stringify writes as `text`. */
    rawJSON(text: string): object;
  }
}

/**
 * Parses a body and keeps each client's object whose numbers JavaScript would change as its text.
 * @param places of clients' objects in the body (`clientObjectPlaces`)
 * @throws SyntaxError
 */
export const parseExact = (text: string, places: readonly Place[]): unknown => {
  const value: unknown = JSON.parse(text);
  if (places.every((place) => !hasObject(value, place)) || !MAY_CHANGE.test(text)) return value;
  // Takes several times longer, so that only a body with such a number pays for it.
  const sent = JSON.parse(text, (_name, part, { source }) =>
    typeof part === 'number' && source !== undefined && String(part) !== source ? JSON.rawJSON(source) : part,
  );
  for (const place of places) keepExact(value, sent, place);
  return value;
};

/** Path of objects in a body: names of fields, and `EACH` for every item of a list. */
export type Place = readonly string[];
export const EACH = '*';

/**
 * Finds a number that JavaScript may write in another way, or the name `EXACT`, of which any letter may be an escape.
 * It may also find such characters in a text.
 */
const MAY_CHANGE = /[:,[\s](?:-0|-?\d+[.eE]|-?\d{16})|\$exact_json|\\u00/;

const partsAt = (value: unknown, name: string | undefined): [string, unknown][] => {
  if (typeof value !== 'object' || value === null || name === undefined) return [];
  if (name === EACH) return Object.entries(value);
  return Object.hasOwn(value, name) ? [[name, Reflect.get(value, name)]] : [];
};

const hasObject = (value: unknown, [name, ...rest]: Place): boolean =>
  name === undefined ? isObject(value) : partsAt(value, name).some(([, part]) => hasObject(part, rest));

/** @param sent the same value, in which numbers that JavaScript would change are raw JSON */
const keepExact = (value: unknown, sent: unknown, [name, ...rest]: Place): void => {
  for (const [field, part] of partsAt(value, name)) {
    const sentPart: unknown = Reflect.get(Object(sent), field);
    if (rest.length > 0) keepExact(part, sentPart, rest);
    else if (isObject(part)) {
      const text = JSON.stringify(sentPart);
      if (text !== JSON.stringify(part) || text.includes(`"${EXACT}"`))
        Reflect.set(Object(value), field, { [EXACT]: text });
    }
  }
};

/** Text of an object that is kept as text; null for a plain object. */
export const exactTextOf = (value: object): string | null => {
  if (!Object.hasOwn(value, EXACT)) return null;
  const text: unknown = Reflect.get(value, EXACT);
  return typeof text === 'string' && Object.keys(value).length === 1 ? text : null;
};

/** Serializes a value and writes each object that is kept as text as it was sent. */
export const stringifyExact = (value: unknown): string => {
  const json = JSON.stringify(value);
  // A replacer slows serialization down, so it is used only if there is such an object.
  if (!json.includes(`"${EXACT}"`)) return json;
  const texts: string[] = [];
  const marked = JSON.stringify(value, (_name, part: unknown) => {
    const text = isObject(part) ? exactTextOf(part) : null;
    return text === null ? part : `\u0000exact:${texts.push(text) - 1}`;
  });
  // Stored texts contain no NUL, so other texts cannot match the marker.
  return marked.replaceAll(/"\\u0000exact:(\d+)"/g, (mark, index: string) => texts[Number(index)] ?? mark);
};

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Rewrites the numbers of a JSON text for comparison: equal values get the same spelling, and numbers that JavaScript
 * cannot represent become strings.
 */
export const withComparableNumbers = (text: string): string =>
  text.replaceAll(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"')) return token;
    const held = String(Number(token));
    return decimalOf(held) === decimalOf(token) ? held : JSON.stringify(`\u0000${decimalOf(token)}`);
  });

/** Sign, significant digits and exponent: `-1.50e3` gives `-15e2`. */
const decimalOf = (number: string): string => {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${integer}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};

const isObject = (value: unknown): value is ClientObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
