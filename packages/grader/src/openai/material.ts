/**
 * Whether a call's material reached the model: the endpoint's own count of the prompt's tokens beside what was sent. A server
 * with too short a context cuts prompts, and one without sight drops pictures; both answer 200.
 *
 * Lost is only what no tokenizer could explain:
 *
 *   pictures  fewer than 1.2 tokens a word of the prompt, which is ours, and 64 for each picture
 *   text      fewer than 0.8 tokens a word; or a multiple of 1024, as contexts are, below 1.2 tokens a word
 *
 * Words are counted and not characters: a tokenizer gives each word a token at least, and a candidate who writes one letter
 * ten thousand times cannot make a count look short. Cached tokens count as read. Without a count, and with one that is
 * absurdly small (a gateway's constant), nothing is said.
 *
 * State: whether the count is believed, for texts and for pictures. A suspicion is followed by a preflight with a text as
 * long as the suspicious one; when that passes, the count was wrong (some servers leave out what they had cached), and is not
 * believed again in this process.
 */
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Usage } from '../grader.ts';

export type Lost = 'pictures' | 'text';

export interface Material {
  /** What of the messages the endpoint did not count; null: nothing that is certain. */
  lost(messages: readonly ChatCompletionMessageParam[], tokens: Counted): Lost | null;
  /** A preflight has shown that pictures are seen, or that texts of so many characters are kept. */
  shown(what: Lost, characters: number): void;
  /** The longest prompt in characters that was found lost since the start; 0 when none was. */
  readonly longestLost: number;
}

type Counted = Pick<Usage, 'inputTokens' | 'cachedInputTokens'>;

const TOKENS_A_PICTURE = 64;
/** The prompt of a reading is English prose with 1.25 (o200k, the sparest of those measured). */
const TOKENS_A_WORD_BY_PICTURES = 1.2;
const TOKENS_A_WORD = 0.8;
const TOKENS_A_WORD_AT_LIMIT = 1.2;
const LIMIT_STEP = 1024;
/** A prompt with fewer words says nothing for certain. */
const FEWEST_WORDS = 300;
/** One token for so many words is no count of this prompt. */
const ABSURD = 20;

export function createMaterial(): Material {
  const believed: Record<Lost, boolean> = { pictures: true, text: true };
  const suspected = new Set<Lost>();
  let longestLost = 0;
  return {
    get longestLost() {
      return longestLost;
    },
    lost(messages, { inputTokens, cachedInputTokens }) {
      // Some count the cached ones in and some beside: together they are at least what was read.
      const tokens = inputTokens + cachedInputTokens;
      const { words, characters, pictures } = sizeOf(messages);
      if (inputTokens === 0 || tokens < words / ABSURD) return null;
      const what = pictures > 0 ? 'pictures' : 'text';
      if (!believed[what] || words < (pictures > 0 ? 1 : FEWEST_WORDS)) return null;
      const isShort =
        pictures > 0
          ? tokens < words * TOKENS_A_WORD_BY_PICTURES + pictures * TOKENS_A_PICTURE
          : tokens < words * TOKENS_A_WORD ||
            (tokens % LIMIT_STEP === 0 && tokens < words * TOKENS_A_WORD_AT_LIMIT);
      if (!isShort) return null;
      suspected.add(what);
      if (what === 'text') longestLost = Math.max(longestLost, characters);
      return what;
    },
    shown(what, characters) {
      if (!suspected.has(what) || (what === 'text' && characters < longestLost)) return;
      believed[what] = false;
    },
  };
}

function sizeOf(messages: readonly ChatCompletionMessageParam[]): {
  words: number;
  characters: number;
  pictures: number;
} {
  const size = { words: 0, characters: 0, pictures: 0 };
  const add = (text: string): void => {
    size.characters += text.length;
    for (const word of text.split(/\s+/)) if (/[\p{L}\p{N}]/u.test(word)) size.words += 1;
  };
  for (const { content } of messages) {
    if (typeof content === 'string') add(content);
    else
      for (const part of content ?? []) {
        if (part.type === 'text') add(part.text);
        else if (part.type === 'image_url') size.pictures += 1;
      }
  }
  return size;
}
