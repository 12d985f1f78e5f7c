import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatted } from '@evaluation/rest-contract/formatted';
import type { BenchOptions, RowResult } from './measureRow.ts';
import type { Verdict } from './row.ts';
import { cpuEach, cpuInAll, secondsEach } from './rounds.ts';

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly string[][]): string =>
  [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');

const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** One table of a row: a line for each side. CPU times are milliseconds of one operation, medians of the rounds. */
export const rowTable = ({ name, what, measured, absent }: RowResult): string => {
  const parts = [...new Set(measured.flatMap((one) => Object.keys(cpuEach(one))))];
  const lines = measured.map((one) => {
    const cpu = cpuEach(one);
    return [
      one.side,
      figure(secondsEach(one) * 1000),
      figure(1 / secondsEach(one)),
      ...parts.map((part) => (cpu[part] === undefined ? '' : figure(cpu[part]))),
      parts.length === 0 ? '' : figure(cpuInAll(one)),
      one.transactions === null ? '' : figure(one.transactions),
    ];
  });
  const head = [name, 'wall ms', 'a second', ...parts.map((part) => `${part} ms`), 'CPU ms', 'tx'];
  return [`**${name}**: ${what}`, '', table(head, lines), ...absent.map((each) => `\nAbsent: ${each}.`)].join(
    '\n',
  );
};

/** All measures with their targets. A target that is missed stays in the table. */
export const verdictTable = (results: readonly RowResult[]): string =>
  table(
    ['row', 'measure', 'now', 'target', ''],
    results.flatMap(({ name, verdicts }) =>
      verdicts.map((verdict) => [
        name,
        verdict.what,
        verdict.value === null ? 'not measured' : figure(verdict.value),
        targetOf(verdict),
        outcomeOf(verdict),
      ]),
    ),
  );

const targetOf = ({ atLeast, atMost }: Verdict): string =>
  atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : '';

const outcomeOf = ({ value, atLeast, atMost }: Verdict): string => {
  if (value === null || (atLeast === undefined && atMost === undefined)) return '';
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) ? 'met' : 'missed';
};

const PAGE = 'docs/benchmarks.md';
const MARKS = ['<!-- result -->', '<!-- end of result -->'] as const;

/** Puts the result into the page, between its two marks. */
export const writePage = async (
  where: string,
  { rounds }: BenchOptions,
  results: readonly RowResult[],
): Promise<void> => {
  const file = join(import.meta.dirname, '../../..', PAGE);
  const page = await readFile(file, 'utf8');
  const [before, rest] = page.split(MARKS[0]);
  const after = rest?.split(MARKS[1])[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no place for a result`);
  const said = [
    `${new Date().toISOString().slice(0, 10)}, ${where}. Medians of ${rounds} rounds.`,
    verdictTable(results),
    ...results.map(rowTable),
  ].join('\n\n');
  await writeFile(file, await formatted(PAGE, `${before}${MARKS[0]}\n\n${said}\n\n${MARKS[1]}${after}`));
};
