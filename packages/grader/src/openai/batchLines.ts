/**
 * Format of batch lines: their ids, requests and replies.
 *
 * The id of a line is a hash of its request and run. It is the same in each process, so that a process finds lines that
 * an earlier process sent. The metadata of a batch holds its ids, which a list of batches returns: 14 values with 32
 * ids, and two values that name the service and the installation.
 */
import { createHash } from 'node:crypto';
import { APIError } from 'openai';
import * as z from 'zod/v4';
import { CutOff } from '../strictSchema.ts';

const ID_LENGTH = 16;
const IDS_A_VALUE = 32;
const VALUES = 14;
/** OpenAI allows 16 entries of metadata with 512 characters each. */
export const MOST_LINES = VALUES * IDS_A_VALUE;
const SERVICE = 'answer-evaluation';

/** Result of a line: the body of its reply, or the error that a direct call would have had. */
export type LineOutcome = { reply: unknown } | { error: Error };

/** 96 bits in 16 characters. */
export const lineIdOf = (asked: unknown): string =>
  createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, ID_LENGTH);

export const lineOf = (id: string, body: object): string =>
  JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body });

export const metadataOf = (deployment: string, ids: readonly string[]): Record<string, string> => {
  const values = Array.from({ length: Math.ceil(ids.length / IDS_A_VALUE) }, (_, at) => [
    `lines_${at}`,
    ids.slice(at * IDS_A_VALUE, (at + 1) * IDS_A_VALUE).join(''),
  ]);
  return { service: SERVICE, deployment, ...Object.fromEntries(values) };
};

const metadataSchema = z.record(z.string(), z.string());

/** @returns ids of a batch's lines; [] for a batch of another service or installation */
export const idsIn = (metadata: unknown, deployment: string): string[] => {
  const read = metadataSchema.safeParse(metadata).data;
  if (read === undefined || read['service'] !== SERVICE || read['deployment'] !== deployment) return [];
  return Array.from({ length: VALUES }, (_, at) => read[`lines_${at}`] ?? '').flatMap(
    (value) => value.match(new RegExp(`.{${ID_LENGTH}}`, 'g')) ?? [],
  );
};

const resultSchema = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.int(), body: z.unknown() }).nullish(),
});

/**
 * @returns null if the text is not a line of an output or error file. The outcome is null if the line was not executed,
 *   e.g. in a batch that expired or was cancelled
 */
export const readResult = (text: string): { id: string; outcome: LineOutcome | null } | null => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const result = resultSchema.safeParse(json).data;
  if (result === undefined) return null;
  const { custom_id: id, response } = result;
  if (response === null || response === undefined) return { id, outcome: null };
  const { status_code: status, body } = response;
  if (status === 200) return { id, outcome: { reply: body } };
  if (status < 400 || status > 599) return { id, outcome: null };
  return { id, outcome: { error: APIError.generate(status, asErrorBody(body), undefined, new Headers()) } };
};

const errorBody = z.looseObject({});
const asErrorBody = (body: unknown): object | undefined => errorBody.safeParse(body).data;

/**
 * Yields the lines of a file as they arrive.
 * @param most most lines, and most characters of a line
 * @throws CutOff when the file has more
 */
export async function* linesIn(
  file: AsyncIterable<Uint8Array>,
  most: { lines: number; characters: number },
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let count = 0;
  for await (const chunk of file) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      count += 1;
      if (count > most.lines) throw new CutOff('The file has too many lines.');
      yield line;
    }
    if (rest.length > most.characters) throw new CutOff('A line is far too long.');
  }
  if (rest !== '' && count < most.lines) yield rest;
}
