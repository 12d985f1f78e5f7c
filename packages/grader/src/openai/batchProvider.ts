/** Client of the endpoint's Batch API. Functions do not retry, and throw what the client throws. No state. */
import type OpenAI from 'openai';
import { toFile } from 'openai';
import * as z from 'zod/v4';
import { fetchUpTo } from './boundedFetch.ts';
import { inTime } from './inTime.ts';
import { idsIn, linesIn, metadataOf, MOST_LINES, readResult, type LineOutcome } from './batchLines.ts';

export interface BatchState {
  id: string;
  isOver: boolean;
  /** true if the whole batch was refused: none of its lines was executed or charged. */
  isRefused: boolean;
  /** true if the account has too many waiting requests; the same batch may be sent later. */
  isTooMuch: boolean;
  files: string[];
  /** Ids of the batch's lines; [] for batches of other services. */
  ids: string[];
}

export interface BatchProvider {
  /** Finds the latest batch of each line, among batches of the last 26 hours. Leaves out refused batches. */
  find(ids: ReadonlySet<string>, signal: AbortSignal): Promise<Map<string, BatchState>>;
  /** @param isWanted called after the file is uploaded; false sends no batch, and null is returned */
  send(
    lines: readonly { id: string; text: string }[],
    isWanted: () => boolean,
    signal: AbortSignal,
  ): Promise<BatchState | null>;
  look(id: string, signal: AbortSignal): Promise<BatchState>;
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Yields the results of a batch line by line. @throws CutOff if the results are larger than a batch can be */
  read(
    batch: BatchState,
    take: (id: string, outcome: LineOutcome | null) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Longer than the longest deadline of a run: no run waits for a line of an older batch. */
const LOOK_BACK_SECONDS = 26 * 3600;
const PAGE = 100;
/** Pages of the list that are read: 2000 batches of any service. Lines in older batches are sent again. */
const MOST_PAGES = 20;
/** Expiry of files, which contain answers: three days, at endpoints that support expiry. */
const KEPT = { anchor: 'created_at', seconds: 3 * 86_400 } as const;
const MAX_FILE_BYTES = 64_000_000;
const MAX_LINE_CHARACTERS = 4_000_000;
/** Enough to upload 32 MB or read a file of replies on a slow connection. */
const REQUEST_MS = 300_000;

const id = z.string().min(1).max(200);
const batchSchema = z.object({
  id,
  status: z.string(),
  created_at: z.number().catch(0),
  output_file_id: id.nullish().catch(null),
  error_file_id: id.nullish().catch(null),
  errors: z
    .object({ data: z.array(z.object({ code: z.string().nullish() })).nullish() })
    .nullish()
    .catch(null),
  metadata: z.unknown(),
});
const listSchema = z.object({ data: z.array(z.unknown()), has_more: z.boolean().catch(false) });

const OVER = new Set(['completed', 'failed', 'expired', 'cancelled']);

export const createBatchProvider = (client: OpenAI, deployment: string): BatchProvider => {
  const streaming = client.withOptions({ fetch: fetchUpTo(MAX_FILE_BYTES) });

  function stateOf(batch: unknown): BatchState & { createdAt: number } {
    const read = batchSchema.parse(batch);
    return {
      id: read.id,
      isOver: OVER.has(read.status),
      isRefused: read.status === 'failed',
      isTooMuch: read.errors?.data?.some(({ code }) => code === 'token_limit_exceeded') ?? false,
      files: [read.output_file_id, read.error_file_id].flatMap((file) => file ?? []),
      ids: idsIn(read.metadata, deployment),
      createdAt: read.created_at,
    };
  }

  const requests: BatchProvider = {
    async find(ids, signal) {
      const found = new Map<string, BatchState>();
      const since = Date.now() / 1000 - LOOK_BACK_SECONDS;
      let after: string | undefined;
      for (let page = 0; page < MOST_PAGES && found.size < ids.size; page += 1) {
        const query = { limit: PAGE, ...(after === undefined ? {} : { after }) };
        const list = listSchema.parse(await client.get<unknown>('/batches', { query, signal }));
        const batches = list.data.flatMap((each) =>
          batchSchema.safeParse(each).success ? stateOf(each) : [],
        );
        for (const batch of batches) {
          if (batch.isRefused) continue;
          for (const line of batch.ids) if (ids.has(line) && !found.has(line)) found.set(line, batch);
        }
        const last = batches.at(-1);
        if (!list.has_more || last === undefined || last.id === after || last.createdAt < since) break;
        after = last.id;
      }
      return found;
    },

    async send(lines, isWanted, signal) {
      const text = lines.map((line) => `${line.text}\n`).join('');
      const file = await client.files.create(
        { file: await toFile(Buffer.from(text), 'lines.jsonl'), purpose: 'batch', expires_after: KEPT },
        { signal },
      );
      if (!isWanted()) return null;
      const batch = await client.batches.create(
        {
          input_file_id: id.parse(file.id),
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
          metadata: metadataOf(
            deployment,
            lines.map((line) => line.id),
          ),
          output_expires_after: KEPT,
        },
        { signal },
      );
      return stateOf(batch);
    },

    look: async (batch, signal) => stateOf(await client.batches.retrieve(batch, { signal })),

    async cancel(batch, signal) {
      await client.batches.cancel(batch, { signal });
    },

    async read({ files }, take, signal) {
      for (const file of files) {
        const { body } = await streaming.files.content(file, { signal });
        if (body === null) continue;
        const lines = linesIn(body, { lines: 2 * MOST_LINES, characters: MAX_LINE_CHARACTERS });
        for await (const line of lines) {
          const result = readResult(line);
          if (result !== null) take(result.id, result.outcome);
        }
      }
    },
  };
  return {
    find: (ids, signal) => inTime(REQUEST_MS, signal, (limited) => requests.find(ids, limited)),
    send: (lines, isWanted, signal) =>
      inTime(REQUEST_MS, signal, (limited) => requests.send(lines, isWanted, limited)),
    look: (batch, signal) => inTime(REQUEST_MS, signal, (limited) => requests.look(batch, limited)),
    cancel: (batch, signal) => inTime(REQUEST_MS, signal, (limited) => requests.cancel(batch, limited)),
    read: (batch, take, signal) =>
      inTime(REQUEST_MS, signal, (limited) => requests.read(batch, take, limited)),
  };
};
