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

export type ClientObject = Record<string, unknown>;

/** @param text JSON of an object without white space between its tokens. @throws SyntaxError */
export const exactObject = (text: string): ClientObject => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new SyntaxError('not an object');
  return survives(text) && !namesExact(text, value) ? value : { [EXACT]: plainly(text) };
};

/** Returns the same JSON with the fewest escapes, because its length is compared with a bound. */
const plainly = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(STRING_OR_NUMBER, (token) =>
        token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token,
      )
    : text;

/** Whether the object has a field named `EXACT`, also if the name is written with escapes. */
const namesExact = (text: string, value: unknown): boolean =>
  (text.includes('\\') ? JSON.stringify(value) : text).includes(`"${EXACT}"`);

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

/** Whether JavaScript writes each number of a JSON text in the same way. */
const survives = (text: string): boolean => {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && String(Number(token)) !== token) return false;
  }
  return true;
};

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
