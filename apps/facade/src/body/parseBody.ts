import { parseExact, type Place } from '@evaluation/rest-contract/exact-json';

/** The body is not JSON, or not UTF-8. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

/**
 * @param places of clients' own objects in the body
 * @returns the value; undefined for an empty body. A byte order mark is skipped
 * @throws MalformedJson
 */
export const parseBody = (body: Uint8Array, places: readonly Place[]): unknown => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return text === '' ? undefined : parseExact(text, places);
  } catch (cause) {
    throw new MalformedJson('the body is no JSON', { cause });
  }
};
