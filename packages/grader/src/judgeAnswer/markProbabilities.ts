/**
 * Probability of a model's marks, from the log-probabilities of their tokens.
 *
 *   probability of a mark = Π over its tokens, and the token that ends it, of  same / (same + other)
 *
 *   same    probability of the alternatives, with the written token, that continue to the same number
 *   other   probability of the alternatives that continue to another number
 *
 * A different space or line break is the same mark. Alternatives without a number are left out, because a model held
 * to a schema cannot write them. Evidence keeps the result as text, with three decimals for each criterion, so that a
 * replay gives the same confidence. The output of an endpoint is untrusted: inconsistent data gives no probability.
 */
import { GraderFailure, type CallEvidence } from '../grader.ts';
import type { ReplyToken } from '../modelCall.ts';

/** By criterion, in their order; null if unknown. */
export type MarkProbabilities = readonly (number | null)[];

const SETTING = 'mark_probabilities';

/** The part of a reply's tokens that evidence keeps; {} if no probability is known. */
export const weighMarks = (
  criteria: number,
  reply: string,
  tokens: readonly ReplyToken[],
): CallEvidence['settings'] => {
  const places = placesOfMarks(reply);
  const placed = placedTokens(reply, tokens);
  if (places === null || placed === null) return {};
  const known = Array.from({ length: criteria }, (_, index) => {
    const place = places.get(index + 1);
    return place === undefined ? null : probabilityAt(reply, place, placed);
  });
  if (known.every((probability) => probability === null)) return {};
  return { [SETTING]: known.map((each) => (each === null ? '' : String(threeDecimals(each)))).join(',') };
};

/**
 * Reads the probabilities from evidence; null if it has none.
 * @throws GraderFailure permanent when the number of criteria differs
 */
export const markProbabilitiesIn = (
  settings: CallEvidence['settings'],
  criteria: number,
): MarkProbabilities | null => {
  const text = settings[SETTING];
  if (text === undefined || text === null) return null;
  const each = typeof text === 'string' ? text.split(',') : [];
  if (each.length !== criteria || each.some((one) => !/^(?:|0(?:\.\d{1,3})?|1)$/.test(one))) {
    throw new GraderFailure(
      'permanent',
      'probabilities of marks are a number from 0 to 1 for each criterion',
    );
  }
  return each.map((one) => (one === '' ? null : Number(one)));
};

interface Place {
  from: number;
  to: number;
}

const SIGN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Places of the numbers of marks in a reply that is only JSON; null for any other reply. */
const placesOfMarks = (reply: string): Map<number, Place> | null => {
  try {
    JSON.parse(reply);
  } catch {
    return null;
  }
  const places = new Map<number, Place>();
  const twice = new Set<number>();
  const keys: string[] = [];
  let depth = 0;
  const signs = [...reply.matchAll(SIGN)];
  for (const [index, { 0: sign, index: from }] of signs.entries()) {
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else if (signs[index + 1]?.[0] === ':') keys[depth] = sign;
    else if (depth === 2 && keys[2] === '"awarded"' && signs[index - 1]?.[0] === ':') {
      const number = Number(/^"criterion_(\d{1,4})"$/.exec(keys[1] ?? '')?.[1]);
      if (places.has(number)) twice.add(number);
      places.set(number, { from, to: from + sign.length });
    }
  }
  for (const number of twice) places.delete(number);
  return places;
};

interface PlacedToken extends ReplyToken {
  /** Bytes from the start of the reply. */
  from: number;
  to: number;
}

/** The tokens that make up the reply; null if they do not. Reasoning may precede them and an end sign may follow. */
const placedTokens = (reply: string, tokens: readonly ReplyToken[]): PlacedToken[] | null => {
  const start = Buffer.concat(tokens.map(({ bytes }) => bytes)).lastIndexOf(Buffer.from(reply));
  if (start < 0) return null;
  let to = -start;
  return tokens.map((token) => {
    const from = to;
    to += token.bytes.length;
    return { ...token, from, to };
  });
};

const probabilityAt = (reply: string, place: Place, tokens: readonly PlacedToken[]): number | null => {
  const value = reply.slice(place.from, place.to);
  const from = Buffer.byteLength(reply.slice(0, place.from));
  const to = from + Buffer.byteLength(value);
  let probability = 1;
  // Includes the token that ends the mark, because "1" may continue as "1.5".
  for (const token of tokens) {
    if (token.to <= from || token.from > to) continue;
    const before = value.slice(0, Math.max(token.from - from, 0));
    const beforeIt = Math.max(from - token.from, 0);
    const written = before + token.bytes.subarray(beforeIt).toString();
    let same = goesOnTo(value, written) === false ? 0 : token.probability;
    let other = 0;
    for (const { text, probability: share } of token.others) {
      const goesOn = goesOnTo(value, beforeIt > 0 ? text.replace(/^[\s":]+/, '') : before + text);
      if (goesOn === true) same += share;
      if (goesOn === false) other += share;
    }
    if (!(same + other > 0)) return null;
    probability *= same / (same + other);
  }
  return probability;
};

/** Whether `written` is the number `value` or may still become it; null if `written` does not begin with a digit. */
const goesOnTo = (value: string, written: string): boolean | null => {
  const number = /^\d[\d.]*/.exec(written)?.[0];
  if (number === undefined) return null;
  return number.length < written.length ? Number(number) === Number(value) : value.startsWith(number);
};

const threeDecimals = (value: number): number => Math.round(Math.min(Math.max(value, 0), 1) * 1000) / 1000;
