import { unionBox } from '../box.ts';
import type { CallOptions, PageImage, PageReading, ReadBlock } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { blankReading } from '../readPages/readPages.ts';
import { cleanLines, withoutHead, type Line } from './cleanLines.ts';
import { readLabel } from './labels.ts';
import type { Ocr } from './ocr.ts';

/** Text that scanner apps stamp on every page; a text layer of nothing else is none. */
const STAMP =
  /^\W*(?:scanned (?:by|with|using)\b.*|camscanner|adobe scan|page\s*\d+(?:\s*of\s*\d+)?|\d{1,3})\W*$/iu;

/** Reads one page offline: its text layer, else OCR. Page text becomes blocks at the question labels. */
export async function readPageOffline(page: PageImage, ocr: Ocr, options: CallOptions): Promise<PageReading> {
  if (page.blank) return blankReading(page.page);
  const layer = page.textLines
    .map(({ text, box }) => ({ text: plainText(text, 2000), box }))
    .filter(({ text }) => text !== '');
  if (layer.some(({ text }) => !STAMP.test(text))) return reading(page.page, layer, 1);
  const lines = cleanLines(await ocr.read(page, options));
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const weighted = lines.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  // Ink that OCR makes nothing of is not blank: legibility 0 says that a person must look.
  return reading(page.page, lines, letters === 0 ? 0 : Math.round((weighted / letters) * 100) / 100);
}

function reading(page: number, lines: Line[], legibility: number): PageReading {
  return { page, legibility, language: languageOf(lines), blocks: blocksOf(withoutHead(page, lines)) };
}

/** A new block begins at each label; lines before the first label go on with the page before. */
export function blocksOf(lines: readonly Line[]): ReadBlock[] {
  const drafts: { label: string | null; continues: boolean; lines: Line[] }[] = [];
  for (const line of lines) {
    const label = readLabel(line.text);
    const current = drafts.at(-1);
    if (label !== null) {
      const written = label.kind === 'contd' ? null : label.written;
      const text = { text: label.rest, box: line.box };
      drafts.push({ label: written, continues: label.continued, lines: [text] });
    } else if (current === undefined) {
      drafts.push({ label: null, continues: true, lines: [line] });
    } else {
      current.lines.push(line);
    }
  }
  return drafts.map((draft) => ({
    label: draft.label,
    continues: draft.continues,
    text: plainText(draft.lines.map(({ text }) => text).join('\n'), 20_000) || choiceIn(draft.label),
    crossedOut: false,
    box: unionBox(draft.lines.map(({ box }) => box)),
  }));
}

/** "Q3 (b)" with nothing after it: the part is the choice made, not a part of the label alone. */
function choiceIn(label: string | null): string {
  return /\(?[a-h]\)?[).]?$/iu.exec(label ?? '')?.[0] ?? '';
}

/** other: most letters are not Latin. Greek is left out of the count, since formulas are full of it. */
function languageOf(lines: readonly Line[]): 'en' | 'other' {
  const text = lines.map((line) => line.text).join('');
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const all = text.match(/(?!\p{Script=Greek})\p{L}/gu)?.length ?? 0;
  return all > 0 && latin * 2 < all ? 'other' : 'en';
}
