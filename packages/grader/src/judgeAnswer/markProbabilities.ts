/**
 * How probable a model's marks were to itself, by the log-probabilities of the tokens that it wrote them in.
 *
 *   probability of a mark = Π over its tokens, and the one that ends it, of  same / (same + other)
 *
 *   same    what the endpoint gives the alternatives (the token written among them) that go on to the same number
 *   other   what it gives those that go on to another number
 *
 * So a space or a line break more is no other mark, and what is no number, which a model that is held to a schema cannot
 * write, is left out. Kept in evidence as text, a number of three decimals for each criterion, so that a replay comes to the
 * same confidence. An endpoint's output is anybody's: whatever does not fit together gives no probability.
 */
import { GraderFailure, type CallEvidence } from '../grader.ts';
import type { SaidToken } from '../modelCall.ts';

/** By criterion, in their order; null where it is not known. */
export type MarkProbabilities = readonly (number | null)[];

const SETTING = 'mark_probabilities';

/** What of a reply's tokens evidence keeps; {} where no mark's probability is known. */
export function weighMarks(
  criteria: number,
  reply: string,
  tokens: readonly SaidToken[],
): CallEvidence['settings'] {
  const places = placesOfMarks(reply);
  const said = placedTokens(reply, tokens);
  if (places === null || said === null) return {};
  const known = Array.from({ length: criteria }, (_, index) => {
    const place = places.get(index + 1);
    return place === undefined ? null : probabilityAt(reply, place, said);
  });
  if (known.every((probability) => probability === null)) return {};
  return { [SETTING]: known.map((each) => (each === null ? '' : String(threeDecimals(each)))).join(',') };
}

/**
 * What evidence keeps, read again; null where it keeps nothing.
 * @throws GraderFailure permanent when it is not of so many criteria
 */
export function markProbabilitiesIn(
  settings: CallEvidence['settings'],
  criteria: number,
): MarkProbabilities | null {
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
}

interface Place {
  from: number;
  to: number;
}

const SIGN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Where in a reply that is JSON and nothing else the number of each criterion stands; null where the reply is more. */
function placesOfMarks(reply: string): Map<number, Place> | null {
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
}

interface PlacedToken extends SaidToken {
  /** Bytes from the beginning of the reply. */
  from: number;
  to: number;
}

/** The tokens that the reply was made of; null where they do not make it. Reasoning may stand before, an end sign after. */
function placedTokens(reply: string, tokens: readonly SaidToken[]): PlacedToken[] | null {
  const start = Buffer.concat(tokens.map(({ bytes }) => bytes)).lastIndexOf(Buffer.from(reply));
  if (start < 0) return null;
  let to = -start;
  return tokens.map((token) => {
    const from = to;
    to += token.bytes.length;
    return { ...token, from, to };
  });
}

function probabilityAt(reply: string, place: Place, tokens: readonly PlacedToken[]): number | null {
  const value = reply.slice(place.from, place.to);
  const from = Buffer.byteLength(reply.slice(0, place.from));
  const to = from + Buffer.byteLength(value);
  let probability = 1;
  // Its own tokens and the one that ends it: "1" may go on as "1.5".
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
}

/** Whether what is written so far may become the number; null when it is the beginning of none. */
function goesOnTo(value: string, written: string): boolean | null {
  const number = /^\d[\d.]*/.exec(written)?.[0];
  if (number === undefined) return null;
  return number.length < written.length ? Number(number) === Number(value) : value.startsWith(number);
}

const threeDecimals = (value: number): number => Math.round(Math.min(Math.max(value, 0), 1) * 1000) / 1000;
