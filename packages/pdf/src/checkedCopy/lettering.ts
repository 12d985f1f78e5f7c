import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import fontkit from '@pdf-lib/fontkit';
import type { PDFDocument, PDFFont } from '#pdf-lib';

const fontFolder = 'dejavu-fonts-ttf/ttf';

export interface Lettering {
  regular: Face;
  bold: Face;
}

/** DejaVu Sans, since the standard fonts of PDF know neither ticks nor arrows nor ₹, and throw on them. */
export async function embedLettering(document: PDFDocument): Promise<Lettering> {
  document.registerFontkit(fontkit);
  const locate = createRequire(import.meta.url).resolve;
  const embed = async (file: string) =>
    // Without ligatures a text is as wide as its characters.
    new Face(
      await document.embedFont(await readFile(locate(`${fontFolder}/${file}`)), {
        subset: true,
        features: { liga: false, dlig: false, clig: false },
      }),
    );
  return { regular: await embed('DejaVuSans.ttf'), bold: await embed('DejaVuSans-Bold.ttf') };
}

/** A font, with what it can show and how wide it is. Measures characters once: the font library lays out anew each time. */
export class Face {
  readonly font: PDFFont;
  readonly #known: Set<number>;
  readonly #widths = new Map<string, number>();

  constructor(font: PDFFont) {
    this.font = font;
    this.#known = new Set(font.getCharacterSet());
  }

  /** One line of text that the font can show: other characters become '?', invisible ones go. */
  showable(text: string): string {
    let shown = '';
    for (const character of text.toWellFormed().normalize('NFC').replace(/\s/g, ' ')) {
      if (this.#known.has(character.codePointAt(0) ?? 0)) shown += character;
      // Controls, joiners, variation selectors and accents have no width of their own to show a '?' in.
      else if (!/[\p{C}\p{M}]/u.test(character)) shown += '?';
    }
    return shown.trim();
  }

  /** Points; `text` must be showable. */
  width(text: string, size: number): number {
    let sum = 0;
    for (const character of text) {
      let width = this.#widths.get(character);
      if (width === undefined) {
        width = this.font.widthOfTextAtSize(character, 1);
        this.#widths.set(character, width);
      }
      sum += width;
    }
    return sum * size;
  }

  /** Lines of at most `width` points; a word longer than a line is broken. What does not fit `mostLines` ends in '…'. */
  wrap(text: string, size: number, width: number, mostLines = Infinity): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of this.showable(text).split(/ +/)) {
      const joined = line === '' ? word : `${line} ${word}`;
      if (this.width(joined, size) <= width) {
        line = joined;
        continue;
      }
      if (line !== '') lines.push(line);
      line = '';
      for (const character of word) {
        if (line !== '' && this.width(line + character, size) > width) {
          lines.push(line);
          line = '';
        }
        line += character;
      }
      if (lines.length > mostLines) break;
    }
    if (line !== '') lines.push(line);
    if (lines.length <= mostLines) return lines;
    const kept = lines.slice(0, mostLines);
    kept[mostLines - 1] = this.shorten(`${kept[mostLines - 1]}…`, size, width, true);
    return kept;
  }

  /** One line of at most `width` points, cut with '…' where it is longer. */
  shorten(text: string, size: number, width: number, ellipsis = false): string {
    const shown = this.showable(text);
    if (this.width(shown, size) <= width) return shown;
    const characters = [...(ellipsis ? shown.slice(0, -1) : shown)];
    while (characters.length > 1 && this.width(`${characters.join('')}…`, size) > width) characters.pop();
    return `${characters.join('').trimEnd()}…`;
  }
}

/** At most `most` characters, cut with '…': on the paper only, the API gives the whole text. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).trimEnd()}…`;
}

/** 4.50 → "4.5", 4 → "4". */
export function formatMarks(marks: number): string {
  return String(Number(marks.toFixed(2)));
}
