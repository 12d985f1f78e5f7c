import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fontkit from '@pdf-lib/fontkit';

const font = fontkit.create(
  readFileSync(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))),
);

/** A line of print as SVG outlines, so that no font has to be installed. @param pixels height of the letters' square */
export const printedText = (line: string, left: number, baseline: number, pixels = 44): string => {
  const scale = pixels / font.unitsPerEm;
  const { glyphs, positions } = font.layout(line);
  let x = left;
  return glyphs
    .map((glyph, index) => {
      const path = `<path transform="translate(${x} ${baseline}) scale(${scale} ${-scale})" d="${glyph.path.toSVG()}"/>`;
      x += (positions[index]?.xAdvance ?? glyph.advanceWidth) * scale;
      return path;
    })
    .join('');
};

/** Width of a line of print in pixels. */
export const printedWidth = (line: string, pixels: number): number =>
  (font.layout(line).advanceWidth * pixels) / font.unitsPerEm;
