import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { degrees, PDFDocument, rgb, type PDFPage } from 'pdf-lib';
import sharp from 'sharp';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { textOfCover } from '../paper/cover.ts';

/*
 * Class sets for tests, made from a seed: what the feeder of a copier or a phone makes of the answer sheets of a class.
 */

export const STACK_KINDS = [
  'covers',
  'covers, backs blank',
  'covers, a page missing',
  'covers, a page upside down',
  'covers, two copies swapped',
  'covers, one cover missing',
  'covers, one cover twice',
  'covers, coloured paper',
  'covers, photographed',
  'no covers',
  'no covers, a page missing',
  'blank separators',
] as const;
export type StackKind = (typeof STACK_KINDS)[number];

/** What a page of the stack is: page `number` of the copy of `candidate`, its cover, or a blank sheet. */
interface TruePage {
  candidate: string;
  number: number | 'cover' | 'blank';
}

export interface MadeStack {
  examId: string;
  candidates: string[];
  /** Names and contents in their order; one PDF, or photos. */
  files: { name: string; content: Uint8Array }[];
  truth: TruePage[];
}

const require = createRequire(import.meta.url);
const PAGES = 4;
const [WIDTH, HEIGHT] = [595, 842];

/** Numbers from 0 to 1 that the seed decides (mulberry32). */
const randomFrom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
type Random = ReturnType<typeof randomFrom>;

const uuidFrom = (random: Random): string => {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
};

export const makeStack = async (kind: StackKind, copies: number, seed: number): Promise<MadeStack> => {
  const random = randomFrom(seed);
  const examId = uuidFrom(random);
  const candidates = Array.from({ length: copies }, () => uuidFrom(random));
  const truth = pagesOf(kind, candidates, random);
  const turned = Math.floor(random() * truth.length);
  const tint = kind === 'covers, coloured paper' ? Math.floor(random() * copies) : copies;
  const stack = await PDFDocument.create();
  for (const [index, page] of truth.entries()) {
    const sheet = stack.addPage([WIDTH, HEIGHT]);
    if (candidates.indexOf(page.candidate) >= tint)
      sheet.drawRectangle({ x: 0, y: 0, width: WIDTH, height: HEIGHT, color: rgb(0.98, 0.9, 0.6) });
    if (page.number === 'cover') await drawCover(sheet, examId, page.candidate);
    else if (page.number !== 'blank') write(sheet, random);
    if (kind === 'covers, a page upside down' && index === turned) sheet.setRotation(degrees(180));
  }
  const content = await stack.save();
  return {
    examId,
    candidates,
    truth,
    files:
      kind === 'covers, photographed'
        ? await photosOf(truth, examId, random)
        : [{ name: 'class.pdf', content }],
  };
};

const pagesOf = (kind: StackKind, candidates: readonly string[], random: Random): TruePage[] => {
  const order = [...candidates];
  const some = Math.floor(random() * (order.length - 1));
  if (kind === 'covers, two copies swapped')
    [order[some], order[some + 1]] = [order[some + 1] ?? '', order[some] ?? ''];
  const missing = Math.floor(random() * PAGES) + 1;
  return order.flatMap((candidate, index): TruePage[] => {
    const numbers = Array.from({ length: PAGES }, (_, at) => at + 1).filter(
      (number) => !(kind.endsWith('a page missing') && index === some && number === missing),
    );
    const written = numbers.map((number) => ({ candidate, number }));
    const blank = { candidate, number: 'blank' } as const;
    const cover = { candidate, number: 'cover' } as const;
    if (kind.startsWith('no covers')) return written;
    if (kind === 'blank separators') return index === 0 ? written : [blank, ...written];
    if (kind === 'covers, backs blank') return [cover, blank, ...written];
    if (kind === 'covers, one cover missing' && index === some + 1) return written;
    if (kind === 'covers, one cover twice' && index === some + 1)
      return [{ candidate: order[some] ?? '', number: 'cover' }, ...written];
    return [cover, ...written];
  });
};

/** Lines like writing. */
const write = (sheet: PDFPage, random: Random): void => {
  for (let y = HEIGHT - 80; y > 80; y -= 28)
    for (let x = 60; x < WIDTH - 100; x += 14 + random() * 40) {
      const [width, rise] = [6 + random() * 30, random() * 10 - 5];
      sheet.drawLine({
        start: { x, y },
        end: { x: x + width, y: y + rise },
        thickness: 1.2,
        color: rgb(0.1, 0.1, 0.4),
      });
    }
};

const symbolOf = async (
  examId: string,
  candidate: string,
): Promise<{ data: Uint8ClampedArray; width: number }> => {
  const binary = await readFile(require.resolve('zxing-wasm/writer/zxing_writer.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(binary).buffer } });
  const { symbol } = await writeBarcode(textOfCover({ exam_id: examId, candidate_id: candidate }), {
    format: 'QRCode',
  });
  return symbol;
};

/** Side of the code, in points: 36 mm, as on the covers that the desk prints. */
const CODE = 102;

const drawCover = async (sheet: PDFPage, examId: string, candidate: string): Promise<void> => {
  const { data, width } = await symbolOf(examId, candidate);
  const size = CODE / width;
  for (const [index, level] of data.entries())
    if (level < 128)
      sheet.drawRectangle({
        x: WIDTH - 150 + (index % width) * size,
        y: HEIGHT - 60 - Math.floor(index / width) * size,
        width: size,
        height: size,
      });
};

/** Photos: turned a little, grey, blurred and with uneven light. */
const photosOf = async (
  truth: readonly TruePage[],
  examId: string,
  random: Random,
): Promise<MadeStack['files']> => {
  const files: MadeStack['files'] = [];
  for (const [index, { candidate, number }] of truth.entries()) {
    const marks: string[] = [];
    if (number === 'cover') {
      const { data, width } = await symbolOf(examId, candidate);
      const size = (CODE * 2) / width;
      for (const [at, level] of data.entries())
        if (level < 128)
          marks.push(
            `<rect x="${800 + (at % width) * size}" y="${120 + Math.floor(at / width) * size}" width="${size + 0.3}" height="${size + 0.3}"/>`,
          );
    } else
      for (let y = 200; y < 1500; y += 60)
        marks.push(
          `<path d="M120 ${y} q ${200 + random() * 100} ${random() * 40 - 20} ${700 + random() * 200} 0" fill="none" stroke="#225" stroke-width="4"/>`,
        );
    const light = 0.55 + random() * 0.2;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1190" height="1684"><defs><linearGradient id="g" x2="1"><stop stop-color="#f6f4ee"/><stop offset="1" stop-color="rgb(${[1, 0.98, 0.92].map((part) => Math.round(255 * light * part)).join()})"/></linearGradient></defs><rect width="1190" height="1684" fill="url(#g)"/>${marks.join('')}</svg>`;
    const content = await sharp(Buffer.from(svg))
      .rotate(random() * 8 - 4, { background: '#5b5048' })
      .blur(1.1)
      .jpeg({ quality: 70 })
      .toBuffer();
    files.push({ name: `IMG_${String(1000 + index)}.jpg`, content: new Uint8Array(content) });
  }
  return files;
};
