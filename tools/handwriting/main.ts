/**
 * `npm run handwriting -- --data FILE [--answers 500 --seed 1 --far --foreign --out FOLDER]`: how much the offline
 * reader finds of answers in ten hands, photographed; with `--far` from too far away. `--foreign` gives the reader the
 * words of another question, which no answer should get. `--out` writes the answers as they are and as they were read,
 * for `npm run agreement`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startReader } from '@evaluation/reader';
import * as z from 'zod/v4';
import { seededRandom } from '../../tests/harness/seededRandom.ts';
import { measure, type HandResult, type Row } from './measure.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    answers: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    far: { type: 'boolean', default: false },
    foreign: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
if (values.data === undefined) throw new Error('--data names a file of marked answers (docs/agreement.md)');

const Line = z.looseObject({
  question_id: z.string(),
  question: z.string().optional(),
  model_answer: z.string().nullish(),
  answer: z.string(),
});
const stored = (await readFile(values.data, 'utf8'))
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => Line.parse(JSON.parse(line)));
const questions = new Map<string, Row>();
for (const row of stored) if (row.question !== undefined) questions.set(row.question_id, row);

const random = seededRandom(Number(values.seed));
const rows = stored
  .map((row) => ({ row, order: random() }))
  .toSorted((a, b) => a.order - b.order)
  .slice(0, Number(values.answers))
  .map(({ row }) => row);
const ids = [...questions.keys()];
const paperOf = ({ question_id }: Row): string[] => {
  const shift = values.foreign ? Math.floor(ids.length / 2) : 0;
  const id = ids[(ids.indexOf(question_id) + shift) % ids.length] ?? question_id;
  const { question = '', model_answer } = questions.get(id) ?? {};
  return [question, model_answer ?? ''];
};

const reader = await startReader();
const { hands, answers } = await measure(rows, paperOf, {
  reader,
  shot: values.far ? 'far' : 'near',
  random,
  done: (count) => {
    if (count % 25 === 0) process.stderr.write(`${count} of ${rows.length} answers\n`);
  },
});
reader.end();

const share = (part: number, whole: number) => (part / Math.max(1, whole)).toFixed(3);
const line = ({ hand, answers: count, words, found, foundAlone, respelled, wrong }: HandResult) =>
  [
    hand.padEnd(22),
    ...[count, words, share(foundAlone, words), share(found, words), respelled, wrong].map((cell) =>
      String(cell).padStart(9),
    ),
  ].join('');
const sum = (key: Exclude<keyof HandResult, 'hand'>) => hands.reduce((all, hand) => all + hand[key], 0);
const total: HandResult = {
  hand: 'all',
  answers: sum('answers'),
  words: sum('words'),
  found: sum('found'),
  foundAlone: sum('foundAlone'),
  respelled: sum('respelled'),
  wrong: sum('wrong'),
};
process.stdout.write('hand                    answers    words    alone     with respelled   wrong\n');
for (const each of [...hands, total]) process.stdout.write(`${line(each)}\n`);

if (values.out !== undefined) {
  await mkdir(values.out, { recursive: true });
  // The first row of each question has the question's fields.
  const save = async (name: string, answerOf: (row: Row, index: number) => string) => {
    const seen = new Set<string>();
    const lines = rows.map((row, index) => {
      const fields = seen.has(row.question_id) ? row : { ...questions.get(row.question_id), ...row };
      seen.add(row.question_id);
      return JSON.stringify({ ...fields, answer: answerOf(row, index) });
    });
    await writeFile(join(values.out ?? '', name), `${lines.join('\n')}\n`);
  };
  await save('typed.jsonl', (row) => row.answer);
  await save('read.jsonl', (_row, index) => answers[index] ?? '');
}
