import { asArray, asObject, asText } from './chatRequest.ts';
import type { ChatRequest, Json } from './chatRequest.ts';

export const CHARACTERS_A_TOKEN = 4;

/** The request without pictures, for `blind`. */
export const withoutPictures = (body: ChatRequest): ChatRequest => {
  const messages = asArray(body['messages']).map((message): Json => {
    const { content, ...rest } = asObject(message);
    const seen = Array.isArray(content)
      ? content.filter((part) => asObject(part)['type'] !== 'image_url')
      : (content ?? null);
    return { ...rest, content: seen };
  });
  return { ...body, messages };
};

/** The request with the last `tokens` of the user's text, for `cuts`. */
export const withLastTokens = (body: ChatRequest, tokens: number): ChatRequest => {
  const messages = asArray(body['messages'])
    .map(asObject)
    .filter(({ role }) => role !== 'system')
    .map((message): Json =>
      typeof message['content'] === 'string'
        ? { ...message, content: asText(message['content']).slice(-tokens * CHARACTERS_A_TOKEN) }
        : message,
    );
  return { ...body, messages };
};

export const tokensOf = (body: ChatRequest): number =>
  Math.ceil(JSON.stringify(body['messages'] ?? null).length / CHARACTERS_A_TOKEN);
