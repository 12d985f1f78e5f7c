import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRead } from '@evaluation/grader';
import { reasonsOfZero, type ReadPage } from '@evaluation/grader/evidence';
import { extractPages, toImageBox, type PageImage } from '@evaluation/pdf';
import { withUnread } from '../../apps/worker/src/copy/withUnread.ts';
import { seededRandom } from '../../tests/harness/seededRandom.ts';
import { drawCopy, QUESTIONS, type DrawnCopy } from './copies.ts';
import { likenessOf, type Likeness } from './pictures.ts';
import { ways, type Way } from './damages.ts';

interface Row {
  /** How the answer is written; null: the question has none. */
  way: string | null;
  copies: number;
  /** Copies whose question without marks asks for a teacher. */
  flagged: number;
}

interface Truth {
  rows: Row[];
  /** Pages of every sixth copy: comparing takes as long as all else. */
  pages: Likeness[];
}
const COMPARED = 6;

/**
 * Copies of four questions, of which a reader returns all answers but one. In every second copy that answer does not
 * exist; in the others it stands on the paper in each of the ways in turn.
 */
export const measureTruth = async (
  copies: number,
  seed: number,
  onProgress: (done: number) => void = () => {},
): Promise<Truth> => {
  const rows = new Map<string | null, Row>(
    [null, ...ways.map(({ name }) => name)].map((way) => [way, { way, copies: 0, flagged: 0 }]),
  );
  const pages: Likeness[] = [];
  for (let index = 0; index < copies; index++) {
    const random = seededRandom(seed * 1_000_003 + index);
    const way = index % 2 === 0 ? null : (ways[((index - 1) / 2) % ways.length] ?? null);
    const row = rows.get(way?.name ?? null);
    if (row === undefined) throw new Error('a way without a row');
    row.copies++;
    const { isFlagged, likeness } = await look(random, way, index % COMPARED === 0);
    if (isFlagged) row.flagged++;
    pages.push(...likeness);
    onProgress(index + 1);
  }
  return { rows: [...rows.values()], pages };
};

const look = async (
  random: () => number,
  way: Way | null,
  isCompared: boolean,
): Promise<{ isFlagged: boolean; likeness: Likeness[] }> => {
  const missing = 1 + Math.floor(random() * QUESTIONS);
  const copy = await drawCopy(random, missing, way);
  const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
  try {
    const file = path.join(folder, 'copy.pdf');
    await writeFile(file, copy.pdf);
    const images = await extractPages(file, folder, { timeoutSeconds: 60 });
    const pages = await Promise.all(images.map((image) => readingOf(copy, image)));
    const alignment = Array.from({ length: QUESTIONS }, (_, at) => ({
      number: at + 1,
      blocks: copy.answers.flatMap(({ page, number }) =>
        number === at + 1
          ? [{ page, block: copy.answers.findIndex((answer) => answer.number === number) }]
          : [],
      ),
    }));
    return {
      isFlagged: reasonsOfZero(images, { pages, alignment }).length > 0,
      likeness: isCompared ? await likenessOf(images, folder) : [],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** What the reader returns of a page: its answers and print, in the coordinates of the image. */
const readingOf = async ({ answers, printed }: DrawnCopy, image: PageImage): Promise<ReadPage> => {
  const ofPage = isRead(image) ? answers.filter(({ page }) => page === image.page) : [];
  const blocks = ofPage.map(({ number, place }) => ({
    label: `Q${number}`,
    continues: false,
    text: 'an answer',
    crossedOut: false,
    box: toImageBox(place, image),
  }));
  const print = printed
    .filter(({ page }) => page === image.page)
    .map(({ place }) => toImageBox(place, image));
  return withUnread({ page: image.page, legibility: 1, language: 'en', turn: 0, blocks, printed: print }, [
    image,
  ]);
};
