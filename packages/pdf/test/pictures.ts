import sharp from 'sharp';
import type { Box } from '../src/types.ts';

type IsColour = (red: number, green: number, blue: number) => boolean;

export const isRed: IsColour = (red, green, blue) => red > 150 && green < 90 && blue < 90;
export const isGreen: IsColour = (red, green, blue) => green > 110 && red < 90 && blue < 110;

/** The box around the pixels of a colour inside an area, in fractions of the picture; null without any. */
export const boundsOf = async (
  file: string,
  isColour: IsColour,
  inside: Box = { x: 0, y: 0, width: 1, height: 1 },
): Promise<Box | null> => {
  const { data, info } = await sharp(file).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let y = Math.ceil(inside.y * height); y < Math.min(height, (inside.y + inside.height) * height); y++) {
    for (let x = Math.ceil(inside.x * width); x < Math.min(width, (inside.x + inside.width) * width); x++) {
      const at = (y * width + x) * channels;
      if (!isColour(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0)) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
    }
  }
  if (right < left) return null;
  return { x: left / width, y: top / height, width: (right - left) / width, height: (bottom - top) / height };
};

/** The part of a drawn sheet that shows the page of the upload, without the column beside it, as a file. */
export const pageOfSheet = async (sheet: string): Promise<string> => {
  const { width, height } = await sharp(sheet).metadata();
  const file = `${sheet}.page.png`;
  await sharp(sheet)
    .extract({ left: 0, top: 0, width: Math.round(width * 0.8), height })
    .toFile(file);
  return file;
};

/** The share of dark blue (pen) pixels of `before` that are no longer dark blue in `after`. */
export const lostInk = async (before: string, after: string): Promise<number> => {
  const { width, height } = await sharp(before).metadata();
  const [from, to] = await Promise.all(
    [before, after].map((file) =>
      sharp(file).resize({ width, height, fit: 'fill' }).toColourspace('srgb').removeAlpha().raw().toBuffer(),
    ),
  );
  const isBlue = (picture: Buffer | undefined, at: number, darkest: number, least: number) => {
    const [red, green, blue] = [picture?.[at] ?? 0, picture?.[at + 1] ?? 0, picture?.[at + 2] ?? 0];
    return red + green + blue < darkest * 3 && blue - red > least;
  };
  let [ink, lost] = [0, 0];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = (y * width + x) * 3;
      if (!isBlue(from, at, 110, 40)) continue;
      ink++;
      // A pixel moved by one position counts as kept, because the pictures were rendered differently.
      const around = [0, -3, 3, -width * 3, width * 3];
      if (!around.some((aside) => isBlue(to, at + aside, 190, 20))) lost++;
    }
  }
  if (ink === 0) throw new Error('nothing is written on the page');
  return lost / ink;
};
