import type { Reader } from '@evaluation/reader';
import type { Random } from '../../tests/harness/seededRandom.ts';
import { handOf } from './hands.ts';
import { photograph, type Shot } from './photograph.ts';

/** A row of the format of `npm run agreement`; a question's fields stand in its first row. */
export interface Row {
  question_id: string;
  question?: string | undefined;
  model_answer?: string | null | undefined;
  answer: string;
}

export interface HandResult {
  hand: string;
  answers: number;
  words: number;
  /** Words of the answers found in the reading, with and without the paper's words. */
  found: number;
  foundAlone: number;
  /** Words that gave way to a word of the paper, and those of them that the answer does not hold. */
  respelled: number;
  wrong: number;
}

interface Means {
  reader: Reader;
  shot: Shot;
  random: Random;
  done: (rows: number) => void;
}

/** Reads each answer from a picture of it, with the words of `paperOf` its question. */
export const measure = async (
  rows: readonly Row[],
  paperOf: (row: Row) => string[],
  { reader, shot, random, done }: Means,
): Promise<{ hands: HandResult[]; answers: string[] }> => {
  const results = new Map<string, HandResult>();
  const answers: string[] = [];
  for (const [index, row] of rows.entries()) {
    const hand = handOf(index);
    const result = results.get(hand.name) ?? { hand: hand.name, ...NOTHING };
    results.set(hand.name, result);
    const lines = await reader.read(await photograph(row.answer, hand, { shot, random }), paperOf(row));
    const words = lines.flatMap((line) => line.words);
    const written = wordsOf(row.answer);
    result.answers += 1;
    result.words += written.length;
    result.found += common(written, wordsOf(words.map(({ text }) => text).join(' ')));
    result.foundAlone += common(written, wordsOf(words.map(({ text, read }) => read ?? text).join(' ')));
    const changed = words.filter(({ read }) => read !== undefined);
    result.respelled += changed.length;
    result.wrong += changed.filter(
      ({ text }) => !wordsOf(text).every((word) => written.includes(word)),
    ).length;
    answers.push(lines.map(({ text }) => text).join('\n'));
    done(index + 1);
  }
  return { hands: [...results.values()], answers };
};

const NOTHING = { answers: 0, words: 0, found: 0, foundAlone: 0, respelled: 0, wrong: 0 } as const;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Number of words that both have, a repeated word as often as both have it. */
const common = (written: readonly string[], read: readonly string[]): number => {
  const left = new Map<string, number>();
  for (const word of read) left.set(word, (left.get(word) ?? 0) + 1);
  return written.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  }).length;
};
