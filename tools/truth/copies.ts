import sharp from 'sharp';
import { writePdf } from '../../tests/harness/pdfFile.ts';
import { printedText, printedWidth } from '../../tests/harness/printedText.ts';
import type { Random } from '../../tests/harness/seededRandom.ts';
import { layScan, type Laid, type Way, type Writing } from './damages.ts';

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface DrawnCopy {
  pdf: Buffer;
  /** Answers that the reader returns, and the question that each answers, from 1. */
  answers: { page: number; number: number; place: Place }[];
  printed: { page: number; place: Place }[];
}

/** Pixels of A4 at 150 dpi. */
const [WIDTH, HEIGHT] = [1240, 1754];
export const QUESTIONS = 4;
const TEXTS = [
  'Sunlight and water',
  'The current is 2 A',
  'Because the pressure falls',
  'Plants need light',
  'Rome',
  'x = 4',
];

/**
 * Draws a copy of four questions under a printed head. Question `missing` has no answer that the reader returns: it is
 * written in this way, or with `way` null not at all. All other answers are plain.
 */
export const drawCopy = async (random: Random, missing: number, way: Way | null): Promise<DrawnCopy> => {
  const own = way?.lay === undefined ? 1 : 2;
  const writing: Writing = {
    text: TEXTS[Math.floor(random() * TEXTS.length)] ?? '',
    ink: '#223',
    paper: '#faf9f4',
    letters: 40 + random() * 14,
    ...way?.writing,
  };
  const head = printedText('Answer sheet', 140, 90, 34) + printedText('Roll No. 17', 840, 90, 28);
  const answers: DrawnCopy['answers'] = [];
  let drawn = '';
  for (let number = 1; number <= QUESTIONS; number++) {
    const baseline = HEIGHT * (0.14 + number * 0.14 + random() * 0.03);
    if (number === missing) {
      if (way === null || own === 2) continue;
      const left = (writing.left ?? 0.12 + random() * 0.2) * WIDTH;
      const bottom = writing.baseline === undefined ? baseline : writing.baseline * HEIGHT;
      drawn += `<g fill="${writing.ink}">${printedText(writing.text, left, bottom, writing.letters)}</g>`;
      continue;
    }
    const text = `${number}. ${TEXTS[Math.floor(random() * TEXTS.length)]}`;
    const [left, letters] = [140 + random() * 60, 36 + random() * 16];
    drawn += `<g fill="#223">${printedText(text, left, baseline, letters)}</g>`;
    const place = {
      x: left / WIDTH,
      y: (baseline - letters) / HEIGHT,
      width: printedWidth(text, letters) / WIDTH,
      height: (letters * 1.25) / HEIGHT,
    };
    answers.push({ page: 1, number, place });
  }
  const first = await pageOf(
    `<g fill="#333">${head}</g>${drawn}`,
    writing.paper,
    own === 1 ? way : null,
    random,
  );
  const pages: Laid[] = [layScan(first.jpeg, first)];
  if (own === 2 && way?.lay !== undefined) {
    const alone = await pageOf(
      `<g fill="#223">${printedText(writing.text, 200, 700, writing.letters)}</g>`,
      writing.paper,
      null,
      random,
    );
    pages.push(way.lay(alone.jpeg, alone));
  }
  const turned = (place: Place) => placeAfter(own === 1 ? (way?.turn ?? 0) : 0, place);
  return {
    pdf: pdfOf(pages, first.width > first.height),
    answers: answers.map((answer) => ({ ...answer, place: turned(answer.place) })),
    printed: [{ page: 1, place: turned({ x: 0, y: 0, width: 1, height: 0.08 }) }],
  };
};

const pageOf = async (marks: string, paper: string, way: Way | null, random: Random) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="${paper}"/>${way?.under ?? ''}${marks}</svg>`;
  const { data } = await sharp(Buffer.from(svg))
    .flatten()
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at++)
    data[at] = Math.max(0, Math.min(255, (data[at] ?? 0) + (random() - 0.5) * 10));
  const flat = sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
  let page = way?.change === undefined ? flat : way.change(flat);
  if (way?.turn !== undefined)
    page = sharp(await page.rotate(way.turn, { background: paper }).png().toBuffer());
  if (way?.long !== undefined) page = page.resize({ height: way.long });
  const { data: jpeg, info } = await page
    .toColourspace('srgb')
    .jpeg({ quality: way?.quality ?? 80 })
    .toBuffer({ resolveWithObject: true });
  return { jpeg, width: info.width, height: info.height };
};

/** A place on paper that was turned clockwise about its centre, on the scan that holds all of it. */
const placeAfter = (degrees: number, { x, y, width, height }: Place): Place => {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const across = Math.abs(WIDTH * cos) + Math.abs(HEIGHT * sin);
  const down = Math.abs(WIDTH * sin) + Math.abs(HEIGHT * cos);
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([left = 0, top = 0]) => {
    const [dx, dy] = [(left - 0.5) * WIDTH, (top - 0.5) * HEIGHT];
    return { x: 0.5 + (dx * cos - dy * sin) / across, y: 0.5 + (dx * sin + dy * cos) / down };
  });
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
};

const pdfOf = (pages: readonly Laid[], lies: boolean): Buffer => {
  const all: { dictionary: string; stream?: Buffer }[] = [];
  const kids: number[] = [];
  /** A page numbers its objects from 4. */
  const shift = (text: string, by: number) =>
    text.replace(/\b(\d+) 0 R\b/g, (_, number: string) => `${Number(number) - 3 + by} 0 R`);
  for (const { objects, resources, content, page = '' } of pages) {
    const before = all.length;
    for (const object of objects) all.push({ ...object, dictionary: shift(object.dictionary, before) });
    all.push({ dictionary: `<< /Length ${content.length} >>`, stream: Buffer.from(content) });
    const box = lies ? '[0 0 842 595]' : '[0 0 595 842]';
    all.push({
      dictionary: `<< /Type /Page /Parent TREE 0 R /MediaBox ${box} /Resources << ${shift(resources, before)} >> /Contents ${all.length} 0 R ${shift(page, before)} >>`,
    });
    kids.push(all.length);
  }
  const tree = all.length + 1;
  const objects = [
    ...all.map((object) => ({ ...object, dictionary: object.dictionary.replace('TREE', String(tree)) })),
    {
      dictionary: `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`,
    },
    { dictionary: `<< /Type /Catalog /Pages ${tree} 0 R >>` },
  ];
  return writePdf(objects, `/Root ${tree + 1} 0 R`);
};
