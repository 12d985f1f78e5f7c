import sharp from 'sharp';
import type { Random } from '../../tests/harness/seededRandom.ts';
import type { Hand } from './hands.ts';

/** Pixels of a picture, about A4 at 134 dpi, and of the widest line. */
const WIDTH = 1100;
const TEXT_WIDTH = 900;
const MARGIN = 90;

/** An answer in a hand on ruled paper, as a telephone takes it: leaning, in uneven light, soft, and with noise. */
export const photograph = async (
  answer: string,
  hand: Hand,
  { shot, random }: { shot: Shot; random: Random },
): Promise<Buffer> => {
  const { data: ink, info } = await sharp({
    text: {
      text: `<span foreground="${INKS[Math.floor(random() * INKS.length)]}">${escaped(answer)}</span>`,
      fontfile: hand.file,
      font: hand.font,
      width: TEXT_WIDTH,
      spacing: 14,
      dpi: 72,
      rgba: true,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true });
  const height = info.height + 2 * MARGIN;
  const paper = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"><rect width="100%" height="100%" fill="#f3efe4"/>${rules(height)}</svg>`,
  );
  const light = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"><defs><linearGradient id="g" x1="${random()}" y1="0" x2="${random()}" y2="1"><stop offset="0" stop-color="#fff" stop-opacity="0.25"/><stop offset="1" stop-color="#100" stop-opacity="${0.1 + random() * 0.25}"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/></svg>`,
  );
  const strength = 4 + random() * 8;
  const grain = Buffer.from(
    Uint8Array.from({ length: WIDTH * height }, () => 128 + strength * (random() + random() - 1)),
  );
  const noise = await sharp(grain, { raw: { width: WIDTH, height, channels: 1 } })
    .png()
    .toBuffer();
  const page = await sharp(paper)
    .composite([
      { input: ink, left: MARGIN, top: MARGIN },
      { input: light },
      { input: noise, blend: 'soft-light' },
    ])
    .removeAlpha()
    .png()
    .toBuffer();
  const { nearest, farthest, blur } = SHOTS[shot];
  const leaning = await sharp(page)
    .affine([1, (random() - 0.5) * 0.06, (random() - 0.5) * 0.5, 1], { background: '#cfc9bb' })
    .resize(Math.round(WIDTH * (nearest - random() * (nearest - farthest))))
    .blur(0.6 + random() * blur)
    .jpeg({ quality: 40 + Math.floor(random() * 30) })
    .toBuffer();
  return await sharp(leaning).resize(WIDTH).jpeg().toBuffer();
};

/** Pixels of the photo for each of the page, and how far it is out of focus, pixels of the photo. */
const SHOTS = {
  near: { nearest: 1, farthest: 0.75, blur: 0.4 },
  /** So far away that the reader loses about as many words as on real pages (docs/reading.md). */
  far: { nearest: 0.62, farthest: 0.42, blur: 0.45 },
} as const;
export type Shot = keyof typeof SHOTS;

const INKS = ['#1c2a6b', '#222228', '#31407a', '#3a3a40'] as const;

const rules = (height: number): string =>
  Array.from(
    { length: Math.floor(height / 46) },
    (_, row) =>
      `<line x1="0" x2="${WIDTH}" y1="${46 * (row + 1)}" y2="${46 * (row + 1)}" stroke="#b9c6d8" stroke-width="1"/>`,
  ).join('');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
