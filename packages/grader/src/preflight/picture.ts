import sharp from 'sharp';
import { LETTER_BOX, pathOf, type randomWord } from './letters.ts';

/** A square, which models that crop or squeeze pictures keep whole. At 336 pixels a letter is 37 pixels wide. */
const SIDE = 768;
const GAP = 48;
const STROKE = 22;

/** The letters in black on white in the middle of a JPEG of about 10 kB. */
export const pictureOf = async (word: ReturnType<typeof randomWord>): Promise<Buffer> => {
  const left = (SIDE - word.length * LETTER_BOX.width - (word.length - 1) * GAP) / 2;
  const top = (SIDE - LETTER_BOX.height) / 2;
  const letters = word.map((letter, index) => {
    const x = left + index * (LETTER_BOX.width + GAP);
    return `<path transform="translate(${x} ${top})" d="${pathOf(letter)}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}"><rect width="100%" height="100%" fill="white"/><g fill="none" stroke="black" stroke-width="${STROKE}" stroke-linecap="round" stroke-linejoin="round">${letters.join('')}</g></svg>`;
  return await sharp(Buffer.from(svg)).flatten({ background: 'white' }).jpeg({ quality: 90 }).toBuffer();
};
