/**
 * `npm run truth -- [--copies 2000 --seed 1]`: whether a 0 that may be wrong asks for a teacher, and whether the
 * reader, the desk and the checked copy show the same pages, on generated copies (docs/proofs.md#zeros).
 */
import { parseArgs } from 'node:util';
import { endIdleChildren } from '@evaluation/pdf';
import { measureTruth } from './measure.ts';
import { LEAST_LIKENESS } from './pictures.ts';

const { values } = parseArgs({
  options: {
    copies: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});
const copies = Number(values.copies);
/** Share of the copies without a lost answer that may ask for a teacher. */
const MOST_FLAGGED = 0.02;

const { rows, pages } = await measureTruth(copies, Number(values.seed), (done) => {
  if (done % 50 === 0) process.stderr.write(`${done} of ${copies} copies\n`);
});
endIdleChildren();
const line = (name: string, count: number, flagged: number) =>
  `${name.padEnd(36)} ${String(count).padStart(6)} ${String(flagged).padStart(8)}\n`;
process.stdout.write('the answer that is left out             copies  flagged\n');
for (const { way, copies: count, flagged } of rows)
  process.stdout.write(line(way ?? '(there is none)', count, flagged));
const [none, ...lost] = rows;
const silent = lost.reduce((sum, { copies: count, flagged }) => sum + count - flagged, 0);
const needless = none === undefined ? 0 : none.flagged / Math.max(1, none.copies);
process.stdout.write(
  `${silent} silent zeros; ${(needless * 100).toFixed(1)} % of the copies without a lost answer are flagged\n`,
);
const least = Math.min(1, ...pages.flatMap(({ reader, checked }) => [reader, checked]));
process.stdout.write(
  `${pages.length} pages compared: the pictures of reader, desk and checked copy correlate by ${least.toFixed(3)} at least\n`,
);
process.exitCode = silent > 0 || needless > MOST_FLAGGED || least < LEAST_LIKENESS ? 1 : 0;
