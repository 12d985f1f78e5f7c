import sharp from 'sharp';
import { strokesOf, type randomWord } from './letters.ts';

/** A square, which models that crop or squeeze pictures keep whole. At 336 pixels a letter is 37 pixels wide. */
const SIDE = 768;
const LETTER = { width: 84, height: 126, gap: 48, stroke: 22 };

/** The letters in black on white in the middle of a JPEG of about 10 kB. */
export const pictureOf = async (word: ReturnType<typeof randomWord>): Promise<Buffer> => {
  const width = word.length * LETTER.width + (word.length - 1) * LETTER.gap;
  const left = (SIDE - width) / 2;
  const top = (SIDE - LETTER.height) / 2;
  const lines = word.flatMap((letter, index) =>
    strokesOf(letter).map(([x1, y1, x2, y2]) => {
      const x = (at: number) => left + index * (LETTER.width + LETTER.gap) + at * LETTER.width;
      const y = (at: number) => top + at * LETTER.height;
      return `<line x1="${x(x1)}" y1="${y(y1)}" x2="${x(x2)}" y2="${y(y2)}"/>`;
    }),
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}"><rect width="100%" height="100%" fill="white"/><g stroke="black" stroke-width="${LETTER.stroke}" stroke-linecap="round">${lines.join('')}</g></svg>`;
  return await sharp(Buffer.from(svg)).flatten({ background: 'white' }).jpeg({ quality: 90 }).toBuffer();
};
