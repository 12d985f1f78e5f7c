import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const TEMPLATE = '000-template.md';

test('the index of decisions lists every note with its number, title, status and date', () => {
  const notes = readdirSync(folder).filter((file) => /^\d{3}-/.test(file) && file !== TEMPLATE);
  const rows = notes.toSorted().map((file) => {
    const [, number, title] = /^# (\d{3}) (.+)$/m.exec(read(file)) ?? [];
    const [, status, date] = /^Status: (.+), (\d{4}-\d\d-\d\d)\.$/m.exec(read(file)) ?? [];
    return [`[${number}](${file})`, title, status, date];
  });
  const index = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(index).toEqual(rows);
});
