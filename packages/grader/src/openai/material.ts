/**
 * Checks whether the whole request reached the model, by comparing the endpoint's count of prompt tokens with the
 * request. A server with a short context cuts prompts, and one without vision drops pictures; both answer 200.
 *
 * Material counts as lost only if no tokenizer explains the count:
 *
 *   pictures  fewer than 1.2 tokens for each word of the prompt, which is ours, and 64 for each picture
 *   text      fewer than 0.8 tokens for each word; or a multiple of 1024, the usual sizes of contexts, below 1.2 tokens
 *             for each word
 *
 * Words are counted instead of characters: each word has at least one token, so a candidate who writes one letter ten
 * thousand times cannot make a count look short. Cached tokens count as read. A missing count, or an absurdly small one
 * (a gateway's constant), gives no result.
 *
 * State: whether counts are trusted, for texts and for pictures. After a suspicion comes a preflight with a text of the
 * same length; if it passes, the count was wrong (some servers omit cached tokens), and the process ignores later
 * counts.
 */
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Usage } from '../grader.ts';

export type Lost = 'pictures' | 'text';

export interface Material {
  /** The material that the endpoint did not count; null if nothing is certain. */
  lost(messages: readonly ChatCompletionMessageParam[], tokens: Counted): Lost | null;
  /** A preflight proved that pictures are seen, or that texts of this many characters are kept. */
  shown(what: Lost, characters: number): void;
  /** Longest prompt with lost material since the start, in characters; 0 if none. */
  readonly longestLost: number;
}

type Counted = Pick<Usage, 'inputTokens' | 'cachedInputTokens'>;

const TOKENS_A_PICTURE = 64;
/** Below the 1.25 tokens for each word of our prompt in o200k, which makes the fewest of the measured tokenizers. */
const TOKENS_A_WORD_BY_PICTURES = 1.2;
const TOKENS_A_WORD = 0.8;
const TOKENS_A_WORD_AT_LIMIT = 1.2;
const LIMIT_STEP = 1024;
/** A prompt with fewer words gives no certain result. */
const FEWEST_WORDS = 300;
/** More words than this for each token: the number is not a count of this prompt. */
const ABSURD = 20;

export const createMaterial = (): Material => {
  const believed: Record<Lost, boolean> = { pictures: true, text: true };
  const suspected = new Set<Lost>();
  let longestLost = 0;
  const wordsIn = newWordCount();
  return {
    get longestLost() {
      return longestLost;
    },
    lost(messages, { inputTokens, cachedInputTokens }) {
      // Some servers include cached tokens in the count and some do not; the sum is at least what was read.
      const tokens = inputTokens + cachedInputTokens;
      const { words, characters, pictures } = sizeOf(messages, wordsIn);
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
};

const sizeOf = (
  messages: readonly ChatCompletionMessageParam[],
  wordsIn: (text: string, role: ChatCompletionMessageParam['role']) => number,
): {
  words: number;
  characters: number;
  pictures: number;
} => {
  const size = { words: 0, characters: 0, pictures: 0 };
  for (const { role, content } of messages) {
    const add = (text: string): void => {
      size.characters += text.length;
      size.words += wordsIn(text, role);
    };
    if (typeof content === 'string') add(content);
    else
      for (const part of content ?? []) {
        if (part.type === 'text') add(part.text);
        else if (part.type === 'image_url') size.pictures += 1;
      }
  }
  return size;
};

const countWords = (text: string): number => {
  let words = 0;
  for (const word of text.split(/\s+/)) if (/[\p{L}\p{N}]/u.test(word)) words += 1;
  return words;
};

/** Far more than the kinds of calls, whose system messages are constants. */
const MOST_KNOWN_TEXTS = 50;

/** Counts words, those of a system message once: it is most of a prompt and equal for all calls of a kind. */
const newWordCount = (): Parameters<typeof sizeOf>[1] => {
  const known = new Map<string, number>();
  return (text, role) => {
    if (role !== 'system') return countWords(text);
    const words = known.get(text) ?? countWords(text);
    if (known.size < MOST_KNOWN_TEXTS) known.set(text, words);
    return words;
  };
};
