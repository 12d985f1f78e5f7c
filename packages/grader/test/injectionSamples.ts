import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A text that addresses its grader. `technique` is a note for readers. */
export interface Attempt {
  id: string;
  technique: string;
  text: string;
}

/** An innocent answer; `hard` if its subject is marks, teachers, instructions or machines. */
interface Innocent {
  id: string;
  subject: string;
  hard: boolean;
  text: string;
}

/** The evaluation set: 200 attempts and 480 innocent answers. */
export const attempts = (): Attempt[] => linesOf('attempts.jsonl');
export const innocents = (): Innocent[] => linesOf('innocent.jsonl');

const linesOf = <T>(file: string): T[] => {
  const lines = readFileSync(path.join(import.meta.dirname, 'injectionSamples', file), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line): T => JSON.parse(line));
};
