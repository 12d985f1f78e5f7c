import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A text that addresses its grader; `technique` is for people. */
export interface Attempt {
  id: string;
  technique: string;
  text: string;
}

/** An honest answer; `hard` if it discusses marks, teachers, instructions or machines as its subject. */
export interface Innocent {
  id: string;
  subject: string;
  hard: boolean;
  text: string;
}

/** The evaluation set of this folder: 200 attempts and 480 honest answers. */
export const attempts = (): Attempt[] => linesOf('attempts.jsonl');
export const innocents = (): Innocent[] => linesOf('innocent.jsonl');

function linesOf<T>(file: string): T[] {
  const lines = readFileSync(path.join(import.meta.dirname, 'samples', file), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line): T => JSON.parse(line));
}
