import type { ChatRequest } from './chatRequest.ts';

/** Few and short: a test compares requests that follow each other, and a load test must not wait for this. */
const KEPT = 8;
const LONGEST = 10_000;
/** Providers count cached tokens in blocks. */
const BLOCK_CHARACTERS = 64;

/** Tells how much of a request's beginning was in one of the latest before it, as a provider that caches prompts would. */
export function createPromptCache(): { charactersKnown(body: ChatRequest): number; forget(): void } {
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
}

function commonStart(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return at;
  }
  return shorter;
}
