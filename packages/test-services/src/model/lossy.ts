import { asArray, asObject, asText } from './chatRequest.ts';
import type { ChatRequest, Json } from './chatRequest.ts';

/** How many characters the server counts as a token. */
export const CHARACTERS_A_TOKEN = 4;

/** The request as a server sees it that drops pictures. */
export function withoutPictures(body: ChatRequest): ChatRequest {
  const messages = asArray(body['messages']).map((message): Json => {
    const { content, ...rest } = asObject(message);
    const seen = Array.isArray(content)
      ? content.filter((part) => asObject(part)['type'] !== 'image_url')
      : (content ?? null);
    return { ...rest, content: seen };
  });
  return { ...body, messages };
}

/** The request as a server sees it that keeps the last so many tokens of the user's text. */
export function withLastTokens(body: ChatRequest, tokens: number): ChatRequest {
  const messages = asArray(body['messages'])
    .map(asObject)
    .filter(({ role }) => role !== 'system')
    .map((message): Json =>
      typeof message['content'] === 'string'
        ? { ...message, content: asText(message['content']).slice(-tokens * CHARACTERS_A_TOKEN) }
        : message,
    );
  return { ...body, messages };
}

export function tokensOf(body: ChatRequest): number {
  return Math.ceil(JSON.stringify(body['messages'] ?? null).length / CHARACTERS_A_TOKEN);
}
