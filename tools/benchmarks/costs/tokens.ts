/**
 * Tokens of a recorded request as OpenAI counts them.
 *   text      encoding o200k_base, used by the models since gpt-4o
 *   messages  3 tokens around each and 3 before the reply, from OpenAI's cookbook ("How to count tokens")
 *   schema    its JSON as text, before the messages: the provider's internal form is not published
 *   pictures  the formulas of platform.openai.com/docs/guides/images-vision (read in 2026)
 * Other tokenizers differ from this by about 15 % on English text.
 */
import { createHash } from 'node:crypto';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import sharp from 'sharp';
import { asArray, asObject, asText, type ModelCallRecord } from '@evaluation/test-services/model';

/** How a model counts pictures: by tiles of 512 px (gpt-4o, gpt-4.1) or by patches of 32 px (gpt-4.1-mini, o4-mini). */
export type PictureTokens = 'tiles' | 'patches';

/** A prompt in the order in which a provider reads it: a text token is a number, a picture is one string. */
export interface Prompt {
  order: readonly (number | string)[];
  textTokens: number;
  pictureTokens: number;
}

type Body = ModelCallRecord['body'];

const AROUND_MESSAGE = 3;
const BEFORE_REPLY = 3;

/** Shortest cached prefix, and the counting step (platform.openai.com/docs/guides/prompt-caching). */
const SHORTEST_CACHED = 1024;
const CACHE_STEP = 128;

export const promptOf = async (body: Body, pictures: PictureTokens): Promise<Prompt> => {
  const order: (number | string)[] = [];
  let pictureTokens = 0;
  let textTokens = BEFORE_REPLY;
  const addText = (text: string): void => {
    const tokens = encode(text);
    order.push(...tokens);
    textTokens += tokens.length;
  };
  addText(JSON.stringify(asObject(body['response_format'])['json_schema'] ?? null));
  for (const { content } of asArray(body['messages']).map(asObject)) {
    textTokens += AROUND_MESSAGE;
    if (typeof content === 'string') addText(content);
    for (const part of asArray(content).map(asObject)) {
      if (part['type'] !== 'image_url') {
        addText(asText(part['text']));
        continue;
      }
      const { url, detail } = asObject(part['image_url']);
      const jpeg = Buffer.from(asText(url).replace(/^.*,/, ''), 'base64');
      order.push(createHash('sha256').update(jpeg).digest('hex'));
      const size = await sharp(jpeg).metadata();
      pictureTokens += tokensOfPicture(size, detail === 'low' ? 'low' : 'high', pictures);
    }
  }
  return { order, textTokens, pictureTokens };
};

export const tokensOfText = (text: string): number => encode(text).length;

/** Tokens of the common prefix. An equal picture ends the count, since its tokens are unknown. */
export const equalTokens = (a: Prompt, b: Prompt): number => {
  const end = a.order.findIndex((item, index) => item !== b.order[index] || typeof item === 'string');
  return end === -1 ? a.order.length : end;
};

/** Tokens of a common prefix that the provider's cache returns. */
export const cachedOf = (tokens: number): number =>
  tokens < SHORTEST_CACHED ? 0 : tokens - (tokens % CACHE_STEP);

interface Size {
  width: number;
  height: number;
}

export const tokensOfPicture = (size: Size, detail: 'high' | 'low', by: PictureTokens): number =>
  by === 'tiles' ? tilesOf(size, detail) : patchesOf(size);

/** 85 tokens, in high detail plus 170 per tile of 512 px after scaling into 2048 × 2048, short side 768. */
const tilesOf = (size: Size, detail: 'high' | 'low'): number => {
  if (detail === 'low') return 85;
  const within = scaled(size, Math.min(1, 2048 / Math.max(size.width, size.height)));
  const { width, height } = scaled(within, Math.min(1, 768 / Math.min(within.width, within.height)));
  return 85 + 170 * Math.ceil(width / 512) * Math.ceil(height / 512);
};

/** One token for each patch of 32 px, at most 1536, times the factor of the mini models. */
const patchesOf = ({ width, height }: Size): number =>
  Math.ceil(Math.min(1536, Math.ceil(width / 32) * Math.ceil(height / 32)) * 1.62);

const scaled = ({ width, height }: Size, factor: number): Size => ({
  width: width * factor,
  height: height * factor,
});
