import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A text that talks to the grader; `technique` is for people. */
export interface Attempt {
  id: string;
  technique: string;
  text: string;
}

/** An honest answer; `hard` where it discusses marks, teachers, instructions or machines as its subject. */
export interface Innocent {
  id: string;
  subject: string;
  hard: boolean;
  text: string;
}

export const attempts = (): Attempt[] => linesOf('attempts.jsonl');
export const innocents = (): Innocent[] => linesOf('innocent.jsonl');

/**
 * Rules were written against the first half of a001 to a137 and i001 to i396 alone; the second half says how they do on
 * what they were not made for. Both halves come from one hand, so that says little. Of attempts written later to get past
 * the finished rules, 8 of 35 (a138 on) were flagged, 9 of the next 24 (a173 on), and 9 of 15 that are not kept here; of
 * honest answers 1 of 50 (i397 on), 4 of 30 (i447 on) and 1 of 15, all chosen to look alike. a197 on and i477 on came with two attempts that
 * were met elsewhere and missed. The rules were widened after each. So expect about half of new, freely worded attempts to be flagged: the fence is the defence.
 */
export function isHeldOut({ id }: { id: string }): boolean {
  return Number(id.slice(1)) % 2 === 0;
}

function linesOf<T>(file: string): T[] {
  const lines = readFileSync(path.join(import.meta.dirname, 'samples', file), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line): T => JSON.parse(line));
}
