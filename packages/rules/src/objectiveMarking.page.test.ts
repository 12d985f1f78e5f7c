import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { markObjective, type ObjectiveKey } from './objectiveMarking.ts';

const page = readFileSync(new URL('../../../docs/objective-marking.md', import.meta.url), 'utf8');

const UNSEEN: Record<string, string> = { nothing: '', space: ' ', tab: '\t', 'line break': '\n' };

/** Replaces `⟨U+200B⟩` and `⟨space⟩` by the characters that they name. */
const written = (cell: string): string =>
  cell.replace(/⟨(?:U\+([0-9A-F]{4,5})|([a-z ]+))⟩/g, (_, hex?: string, name?: string) =>
    hex === undefined
      ? (UNSEEN[name ?? ''] ?? `no such name: ${name}`)
      : String.fromCodePoint(parseInt(hex, 16)),
  );

interface Row {
  type: string;
  key: string;
  answer: string;
  marked: string;
  why: string;
}

const rows = [
  ...page.matchAll(/^\| `(\w+)` +\| `([^`]+)` +\| `([^`]+)` +\| ([a-z ]+?) +\| (.+?) +\|$/gm),
].map(([, type = '', key = '', answer = '', marked = '', why = '']): Row => ({
  type,
  key,
  answer,
  marked,
  why,
}));

const keyOf = ({ type, key }: Row): ObjectiveKey => {
  switch (type) {
    case 'mcq_single':
    case 'mcq_multi':
    case 'true_false':
      return { type, correct_options: key.split(', ') };
    case 'numeric':
      return { type, answer: key.split('; ') };
    case 'one_word':
      return { type, answer: written(key) };
    default:
      throw new Error(`no objective type: ${type}`);
  }
};

const OUTCOMES: Record<string, object> = {
  right: { status: 'graded', awarded: 4, correct: true },
  wrong: { status: 'graded', awarded: -1, correct: false },
  'not answered': { status: 'not_answered', awarded: 0, correct: null },
};

describe('docs/objective-marking.md', () => {
  test('each line of its tables of examples is read here', () => {
    expect(rows).toHaveLength(page.split('\n').filter((line) => line.startsWith('| `')).length);
    expect(new Set(rows.map(({ type }) => type)).size).toBe(5);
  });

  test.each(rows)('$type $key, answered $answer, is $marked: $why', (row) => {
    const text = written(row.answer);
    const given =
      'correct_options' in keyOf(row) ? { option_labels: text === '' ? [] : text.split(', ') } : { text };
    expect(markObjective(keyOf(row), given, { maxMarks: 4, negativeMarks: 1 })).toEqual(OUTCOMES[row.marked]);
  });
});
