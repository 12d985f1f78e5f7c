import { createHash } from 'node:crypto';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A chat completion request. The server reads some fields only. */
export type ChatRequest = JsonObject;

type UserPart = { text: string } | { imageSha256: string };

export const asObject = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

export const asArray = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Returns a string unchanged, a number or boolean as text, and '' for other values. */
export const asText = (value: Json | undefined): string =>
  value === null || typeof value === 'object' ? '' : String(value ?? '');

/** The requested schema, from `response_format` or from a line "Schema NAME: {…}" of the system message. */
export const schemaOf = (body: ChatRequest): { name: string | null; schema: JsonObject } => {
  const jsonSchema = asObject(asObject(body['response_format'])['json_schema']);
  const name = jsonSchema['name'];
  if (typeof name === 'string') return { name, schema: asObject(jsonSchema['schema']) };
  const system = asArray(body['messages'])
    .map(asObject)
    .find(({ role }) => role === 'system');
  const [, schemaName, schema = ''] = /^Schema (\w+): (\{.*\})$/m.exec(asText(system?.['content'])) ?? [];
  return { name: schemaName ?? null, schema: jsonLinesIn(schema)[0] ?? {} };
};

export const outputLimitOf = (body: ChatRequest): number | null => {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof limit === 'number' ? limit : null;
};

/** Parts of the first user message; an image is given as the SHA-256 (hex) of its bytes. */
export const userPartsOf = (body: ChatRequest): UserPart[] => {
  const user = asArray(body['messages'])
    .map(asObject)
    .find(({ role }) => role === 'user');
  const content = user?.['content'];
  if (typeof content === 'string') return [{ text: content }];
  return asArray(content).map((each): UserPart => {
    const part = asObject(each);
    if (part['type'] !== 'image_url') return { text: asText(part['text']) };
    const url = asText(asObject(part['image_url'])['url']);
    const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    return { imageSha256: createHash('sha256').update(bytes).digest('hex') };
  });
};

export const jsonLinesIn = (text: string): JsonObject[] =>
  text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const value: Json = JSON.parse(line);
      return [asObject(value)];
    } catch {
      return [];
    }
  });
