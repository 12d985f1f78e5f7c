/**
 * The Batch API of the model server: files and batches. Each line of a batch is handled as one call of the server,
 * with the same script, truth and record.
 *
 * State: files and batches in memory, and the current behaviour.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asObject, asText, jsonLinesIn } from './chatRequest.ts';
import type { Json, JsonObject } from './chatRequest.ts';

type BatchBehaviour =
  /** Every line is answered at once. */
  | { kind: 'at_once' }
  /** No line is answered until the behaviour changes. */
  | { kind: 'held' }
  /** The first `after` lines are answered; then the batch expires. */
  | { kind: 'expires'; after: number }
  | { kind: 'refused'; code: string }
  /** The server answers 404 to files and batches. */
  | { kind: 'not_offered' }
  /** The batch is created, but the connection breaks before the response. */
  | { kind: 'unanswered' };

interface BatchRecord {
  id: string;
  status: 'in_progress' | 'completed' | 'failed' | 'expired' | 'cancelled';
  lines: string[];
}

export interface TestBatches {
  readonly seen: readonly BatchRecord[];
  behave(behaviour: BatchBehaviour): void;
  reset(): void;
  /** @returns false when the request is not one of the Batch API */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

/** Recorded in place of the key for calls from batches. */
export const BY_BATCH = 'Batch';

interface Batch extends BatchRecord {
  createdAt: number;
  metadata: Json;
  input: JsonObject[];
  outputFile: string | null;
  errorFile: string | null;
  code: string | null;
}

/** @param onChange called when a batch is created or ends */
export const createTestBatches = (baseUrl: () => string, onChange: () => void): TestBatches => {
  let files = new Map<string, string>();
  let batches: Batch[] = [];
  let behaviour: BatchBehaviour = { kind: 'at_once' };
  let ids = 0;

  function newFile(text: string): string {
    const id = `file-${(ids += 1)}`;
    files.set(id, text);
    return id;
  }

  async function run(batch: Batch): Promise<void> {
    if (behaviour.kind === 'held' || behaviour.kind === 'not_offered') return;
    if (behaviour.kind === 'refused') {
      batch.status = 'failed';
      batch.code = behaviour.code;
      return;
    }
    const after = behaviour.kind === 'expires' ? behaviour.after : batch.input.length;
    const results = await Promise.all(batch.input.slice(0, after).map((line) => asked(line)));
    const expired = batch.input.slice(after).map(({ custom_id = null }) => ({
      id: 'none',
      custom_id,
      response: null,
      error: {
        code: 'batch_expired',
        message: 'This request could not be executed before the expiration time.',
      },
    }));
    const isWell = (line: JsonObject) => asObject(line['response'])['status_code'] === 200;
    // Real providers return results in any order.
    batch.outputFile = newFile(jsonl(results.filter(isWell).toReversed()));
    batch.errorFile = newFile(jsonl([...results.filter((line) => !isWell(line)), ...expired]));
    if (batch.status === 'in_progress') batch.status = after < batch.input.length ? 'expired' : 'completed';
  }

  async function asked(line: JsonObject): Promise<JsonObject> {
    const response = await fetch(`${baseUrl()}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: BY_BATCH },
      body: JSON.stringify(line['body'] ?? null),
    });
    const body: Json = JSON.parse(await response.text());
    const { custom_id = null } = line;
    return {
      id: 'none',
      custom_id,
      response: { status_code: response.status, request_id: 'r', body },
      error: null,
    };
  }

  function begin(batch: Batch): void {
    onChange();
    run(batch).then(onChange, () => {
      batch.status = 'failed';
    });
  }

  function create(body: JsonObject): Batch {
    const input = jsonLinesIn(files.get(asText(body['input_file_id'])) ?? '');
    const batch: Batch = {
      id: `batch_${(ids += 1)}`,
      status: 'in_progress',
      lines: input.map((line) => asText(line['custom_id'])),
      createdAt: Math.floor(Date.now() / 1000),
      metadata: body['metadata'] ?? null,
      input,
      outputFile: null,
      errorFile: null,
      code: null,
    };
    batches.push(batch);
    begin(batch);
    return batch;
  }

  async function reply(request: IncomingMessage, path: string, query: URLSearchParams): Promise<Reply> {
    const [, , resource, id, what] = path.split('/');
    if (resource === 'files') {
      if (request.method === 'POST') {
        const file = await uploaded(request);
        return json({ id: newFile(file), object: 'file', purpose: 'batch' });
      }
      const text = files.get(id ?? '');
      return text === undefined ? missing() : { status: 200, body: text };
    }
    if (id === undefined && request.method === 'GET') {
      const newest = batches.toReversed();
      const begun = newest.findIndex((batch) => batch.id === query.get('after')) + 1;
      const limit = Number(query.get('limit') ?? 20);
      const data = newest.slice(begun, begun + limit);
      return json({ object: 'list', data: data.map(shown), has_more: newest.length > begun + limit });
    }
    if (id === undefined) {
      const isUnanswered = behaviour.kind === 'unanswered';
      const batch = create(asObject(JSON.parse((await read(request)).toString('utf8'))));
      return isUnanswered ? null : json(shown(batch));
    }
    const batch = batches.find((each) => each.id === id);
    if (batch === undefined) return missing();
    if (what === 'cancel' && batch.status === 'in_progress') batch.status = 'cancelled';
    return json(shown(batch));
  }

  return {
    get seen() {
      return batches;
    },
    behave(next) {
      behaviour = next;
      for (const batch of batches.filter(({ status }) => status === 'in_progress')) begin(batch);
    },
    reset() {
      files = new Map();
      batches = [];
      behaviour = { kind: 'at_once' };
    },
    async answer(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
      if (!/^\/v1\/(?:files|batches)(?:\/|$)/.test(pathname) || behaviour.kind === 'not_offered')
        return false;
      const replied = await reply(request, pathname, searchParams);
      if (replied === null) response.destroy();
      else response.writeHead(replied.status, { 'content-type': 'application/json' }).end(replied.body);
      return true;
    },
  };
};

/** null: the connection breaks. */
type Reply = { status: number; body: string } | null;

const json = (value: Json): Reply => ({ status: 200, body: JSON.stringify(value) });
const missing = (): Reply => ({ status: 404, body: '{"error": {"message": "no such thing", "code": null}}' });
const jsonl = (lines: readonly JsonObject[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const shown = (batch: Batch): Json => ({
  id: batch.id,
  object: 'batch',
  endpoint: '/v1/chat/completions',
  status: batch.status,
  created_at: batch.createdAt,
  metadata: batch.metadata,
  output_file_id: batch.status === 'in_progress' ? null : batch.outputFile,
  error_file_id: batch.status === 'in_progress' ? null : batch.errorFile,
  errors: batch.code === null ? null : { object: 'list', data: [{ code: batch.code, message: 'refused' }] },
});

const uploaded = async (request: IncomingMessage): Promise<string> => {
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(await read(request), { headers: { 'content-type': type } }).formData();
  const file = form.get('file');
  return file === null || typeof file === 'string' ? '' : await file.text();
};

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};
