import type { ChatRequest } from './chatRequest.ts';

/** Small bounds: tests compare requests that follow each other, and load tests must not be slowed down. */
const KEPT = 8;
const LONGEST = 10_000;
/** Providers count cached tokens in blocks. */
const BLOCK_CHARACTERS = 64;

/** Counts the characters at a request's beginning that an earlier request shares, like a provider's prompt cache. */
export const createPromptCache = (): { charactersKnown(body: ChatRequest): number; forget(): void } => {
  let latest: string[] = [];
  return {
    charactersKnown(body) {
      const prompt = JSON.stringify(body['messages'] ?? null).slice(0, LONGEST);
      const known = Math.max(0, ...latest.map((earlier) => commonStart(earlier, prompt)));
      latest = [...latest.slice(1 - KEPT), prompt];
      return known - (known % BLOCK_CHARACTERS);
    },
    forget() {
      latest = [];
    },
  };
};

const commonStart = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return at;
  }
  return shorter;
};
