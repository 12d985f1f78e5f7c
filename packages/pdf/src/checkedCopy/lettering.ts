import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Typesetter } from '@evaluation/rules/marked-page';
import fontkit from '@pdf-lib/fontkit';
import { PDFHexString } from '#pdf-lib';
import type { PDFDocument, PDFFont } from '#pdf-lib';

const FONT_FOLDER = 'dejavu-fonts-ttf/ttf';

interface ParsedFont {
  bytes: Uint8Array;
  /** The font, parsed from `bytes`. Each document embeds a subset of the font. */
  font: ReturnType<typeof fontkit.create>;
  characters: ReadonlySet<number>;
  /** Width of each character at size 1, filled when asked for. */
  widths: Map<string, number>;
}

/** Fonts by file, parsed once in a process: parsing takes longer than drawing a copy. */
const parsed = new Map<string, Promise<ParsedFont>>();

const parseFont = (file: string): Promise<ParsedFont> => {
  let font = parsed.get(file);
  if (font === undefined) parsed.set(file, (font = read(file)));
  return font;
};

const read = async (file: string): Promise<ParsedFont> => {
  const locate = createRequire(import.meta.url).resolve;
  const bytes = new Uint8Array(await readFile(locate(`${FONT_FOLDER}/${file}`)));
  const font = fontkit.create(bytes);
  return { bytes, font, characters: new Set(font.characterSet), widths: new Map() };
};

export interface Lettering {
  regular: Face;
  bold: Face;
}

/** Embeds DejaVu Sans. The standard fonts of PDF have no ticks, arrows or ₹, and pdf-lib throws on these characters. */
export const embedLettering = async (document: PDFDocument): Promise<Lettering> => {
  const embed = async (file: string) => {
    const ready = await parseFont(file);
    document.registerFontkit({ create: () => ready.font });
    // Ligatures are off so that the width of a text is the sum of its characters' widths.
    const features = { liga: false, dlig: false, clig: false };
    return new Face(await document.embedFont(ready.bytes, { subset: true, features }), ready);
  };
  return { regular: await embed('DejaVuSans.ttf'), bold: await embed('DejaVuSans-Bold.ttf') };
};

/** A font of one document with cached character widths; the font library computes the layout anew for each call. */
export class Face extends Typesetter {
  readonly font: PDFFont;
  readonly #known: ReadonlySet<number>;
  readonly #widths: Map<string, number>;
  /** Code of each character in this document. */
  readonly #codes = new Map<string, string>();

  constructor(font: PDFFont, { characters, widths }: Pick<ParsedFont, 'characters' | 'widths'>) {
    super();
    this.font = font;
    this.#known = characters;
    this.#widths = widths;
  }

  /**
   * One line of text without line breaks. Words in a script that the font does not have become '…', one for all that
   * stand together; other characters that it does not have are left out.
   */
  showable(text: string): string {
    const words = lineOf(text)
      .split(/ +/)
      .map((word) =>
        this.#lacksLetters(word) ? '…' : [...word].filter((character) => this.#knows(character)).join(''),
      );
    return words.filter((word, at) => word !== '' && (word !== '…' || words[at - 1] !== '…')).join(' ');
  }

  /** Whether the font has all letters of a text. A name that it cannot write is left out. */
  covers(text: string): boolean {
    return !this.#lacksLetters(lineOf(text));
  }

  #knows(character: string): boolean {
    return this.#known.has(character.codePointAt(0) ?? 0);
  }

  #lacksLetters(text: string): boolean {
    return [...text].some((character) => /[\p{L}\p{N}]/u.test(character) && !this.#knows(character));
  }

  /** Codes of a text in this document; `text` must come from `showable`. */
  encode(text: string): PDFHexString {
    if (!isWrittenLetterByLetter(text)) return this.font.encodeText(text);
    let codes = '';
    for (const character of text) {
      let code = this.#codes.get(character);
      if (code === undefined) {
        code = this.font.encodeText(character).asString();
        this.#codes.set(character, code);
      }
      codes += code;
    }
    return PDFHexString.of(codes);
  }

  /** Width in points; `text` must come from `showable`. */
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
}

const lineOf = (text: string): string => text.toWellFormed().normalize('NFC').replace(/\s/g, ' ');

/**
 * True for texts of characters that have one glyph each, whatever stands beside them: ISO 8859-1, dashes, quotation
 * marks and '…'. For other texts the font library applies the font's rules for neighbours, which takes far longer.
 */
const isWrittenLetterByLetter = (text: string): boolean =>
  /^[\x20-\x7e\xa1-\xac\xae-\xff\u2013\u2014\u2018\u2019\u201c\u201d\u2026]*$/.test(text);

/** 4.50 → "4.5", 4 → "4". */
export const formatMarks = (marks: number): string => String(Number(marks.toFixed(2)));
