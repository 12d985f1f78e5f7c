/*
 * A client's own JSON object (`metadata`, `tags`) comes back digit by digit, though JavaScript's numbers hold 16 of them.
 *
 * Most objects survive: each number is spelled as JavaScript spells it. These are plain objects everywhere. One that
 * does not is `{ [EXACT]: text }` from the facade to the database and back: its JSON text without white space. Only an
 * answer to a client opens it. A client's object that has a field of that name at any depth is kept as text too, so
 * nothing that a client sends is mistaken for one.
 */

export const EXACT = '$exact_json';

export type ClientObject = Record<string, unknown>;

/** @param text JSON of an object without white space between its parts. @throws SyntaxError */
export const exactObject = (text: string): ClientObject => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new SyntaxError('not an object');
  return survives(text) && !namesExact(text, value) ? value : { [EXACT]: plainly(text) };
};

/** The same JSON with no more escapes than it needs: its length is held against a bound. */
const plainly = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(STRING_OR_NUMBER, (token) =>
        token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token,
      )
    : text;

/** Whether a field of that name is in the object, however its name is written. */
const namesExact = (text: string, value: unknown): boolean =>
  (text.includes('\\') ? JSON.stringify(value) : text).includes(`"${EXACT}"`);

/** The text of an object that is kept as text; null for a plain one. */
export const exactTextOf = (value: object): string | null => {
  if (!Object.hasOwn(value, EXACT)) return null;
  const text: unknown = Reflect.get(value, EXACT);
  return typeof text === 'string' && Object.keys(value).length === 1 ? text : null;
};

/** JSON of any value, with every object that is kept as text written as it was sent. */
export const stringifyExact = (value: unknown): string => {
  const json = JSON.stringify(value);
  // A replacer makes the whole walk slower, so only an answer that has such an object pays for it.
  if (!json.includes(`"${EXACT}"`)) return json;
  const texts: string[] = [];
  const marked = JSON.stringify(value, (_name, part: unknown) => {
    const text = isObject(part) ? exactTextOf(part) : null;
    return text === null ? part : `\u0000exact:${texts.push(text) - 1}`;
  });
  // Nothing stored has a NUL, so no other text is taken for a mark.
  return marked.replaceAll(/"\\u0000exact:(\d+)"/g, (mark, index: string) => texts[Number(index)] ?? mark);
};

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Whether each number of a JSON text is the one that JavaScript would write. */
const survives = (text: string): boolean => {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && String(Number(token)) !== token) return false;
  }
  return true;
};

/**
 * The text of an object that is kept as text in which numbers of one value are spelled in one way, and those that
 * JavaScript cannot hold are strings: for comparing what was sent.
 */
export const withComparableNumbers = (text: string): string =>
  text.replaceAll(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"')) return token;
    const held = String(Number(token));
    return decimalOf(held) === decimalOf(token) ? held : JSON.stringify(`\u0000${decimalOf(token)}`);
  });

/** Sign, significant digits and exponent: `-1.50e3` is `-15e2`. */
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
