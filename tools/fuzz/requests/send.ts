import { everyEndpoint, paramsOf, type Call, type OwnedObjects } from '../../../tests/harness/endpoints.ts';
import { changed } from './change.ts';
import type { Received } from './check.ts';
import type { Institutes } from './institutes.ts';
import type { Intent } from './intents.ts';

/** A request as it goes out. */
export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

const endpoints = new Map(everyEndpoint().map((endpoint) => [endpoint.name, endpoint]));

/** The endpoint that needs a copy gets the graded one, if there is one. */
const ownCallOf = (name: string, { own, copied }: Institutes): Call =>
  callOf(name, name === 'submissions.checkedCopy' && copied !== null ? { ...own, graded: copied } : own);

const callOf = (name: string, objects: OwnedObjects): Call => {
  const endpoint = endpoints.get(name);
  if (endpoint === undefined) throw new Error(`no endpoint ${name}`);
  return endpoint.call(objects);
};

export const requestOf = (intent: Intent, institutes: Institutes): Request => {
  const { operation, body, ids } = intent;
  const own = ownCallOf(operation.name, institutes);
  const named = ids === 'foreign' ? callOf(operation.name, institutes.foreign) : own;
  const endpoint = endpoints.get(operation.name);
  const names = endpoint === undefined ? [] : paramsOf(endpoint);
  // One id is changed at a time; the others exist.
  const strange = names.at(intent.segment.length % Math.max(names.length, 1));
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    ids === 'hostile' && name === strange
      ? intent.segment
      : (named.params?.[name] ?? own.params?.[name] ?? 'none'),
  );
  const query = new URLSearchParams(intent.query).toString();
  const text = bodyOf(body, ids === 'foreign' ? named : own);
  const client = intent.key === 'reader' ? institutes.reader : institutes.api;
  return {
    method: operation.method,
    url: `${client.baseUrl}${path}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...(intent.key === 'none' ? {} : { 'x-api-key': intent.key === 'wrong' ? 'aek_wrong' : client.apiKey }),
      ...(text === null ? {} : { 'content-type': 'application/json' }),
      ...intent.headers,
    },
    body: operation.method === 'GET' ? null : text,
  };
};

const bodyOf = (body: Intent['body'], call: Call): string | null => {
  switch (body.kind) {
    case 'valid':
      return call.body === undefined ? null : JSON.stringify(call.body);
    case 'changed':
      return changed(call.body ?? {}, body.place, body.how);
    case 'schema':
      return JSON.stringify(body.value);
    case 'text':
      return body.text;
  }
};

export const headBytesOf = ({ url, headers }: Request): number =>
  new URL(url).href.length +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);

const LONGEST_MS = 30_000;

/** @returns null for a request that this client cannot express, such as a header with a line break */
export const send = async ({ method, url, headers, body }: Request): Promise<Received | null> => {
  let request: globalThis.Request;
  try {
    request = new Request(url, { method, headers, ...(body === null ? {} : { body }) });
  } catch {
    return null;
  }
  const response = await fetch(request, { signal: AbortSignal.timeout(LONGEST_MS) });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
