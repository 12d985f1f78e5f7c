import { readFile } from 'node:fs/promises';
import { clampBox, unionBox } from '../box.ts';
import type { CallOptions, PageImage, PageReading, ReadBlock } from '../grader.ts';
import { GraderFailure, isRead } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { boundBlocks } from '../readPages/bounds.ts';
import { blankReading } from '../readPages/readPages.ts';
import { boxBeforeTurn, type Turn } from '../turn.ts';
import { withoutHead, type Line } from './cleanLines.ts';
import { readLabel } from './labels.ts';
import type { Ocr } from './ocr.ts';
import { readAnyWayUp, type Writing } from './readAnyWayUp.ts';

/** Stamps of scanner apps; a text layer with only a stamp counts as empty. */
const STAMP =
  /^\W*(?:scanned (?:by|with|using)\b.*|camscanner|adobe scan|page\s*\d+(?:\s*of\s*\d+)?|\d{1,3})\W*$/iu;

/**
 * Reads one page offline: its text layer if a viewer shows it, else by OCR. Invisible text (a model answer in invisible
 * letters under a scan) is ignored. Lines become blocks, split at question labels.
 */
export const readPageOffline = async (
  page: PageImage,
  ocr: Ocr,
  options: CallOptions,
): Promise<PageReading> => {
  if (!isRead(page)) return blankReading(page.page);
  const layer = page.textLines
    .map(({ text, box }) => ({ text: plainText(text, 2000), box }))
    .filter(({ text }) => text !== '');
  if (page.textIsShown !== false && layer.some(({ text }) => !STAMP.test(text))) {
    return reading(page.page, { lines: layer, legibility: 1, turn: 0 });
  }
  const jpeg = await readFile(page.file).catch(() => {
    throw new GraderFailure('permanent', 'a page image could not be read');
  });
  // A page with ink that OCR cannot read is not blank: its legibility of 0 asks for a teacher.
  return reading(page.page, await readAnyWayUp({ ...page, jpeg }, ocr, options));
};

const reading = (
  page: number,
  { lines, legibility, turn }: Omit<Writing, 'lines'> & { lines: Line[] },
): PageReading => {
  const blocks = boundBlocks(blocksOf(withoutHead(page, lines)));
  return { page, legibility, language: languageOf(lines), blocks: onImage(blocks, turn) };
};

const onImage = (blocks: ReadBlock[], turn: Turn): ReadBlock[] =>
  turn === 0 ? blocks : blocks.map((block) => ({ ...block, box: clampBox(boxBeforeTurn(block.box, turn)) }));

/** A new block begins at each label. Lines before the first label continue the previous page. */
export const blocksOf = (lines: readonly Line[]): ReadBlock[] => {
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
};

/** "Q3 (b)" with nothing after it: the part is the choice, not only a part of the label. */
const choiceIn = (label: string | null): string => /\(?[a-h]\)?[).]?$/iu.exec(label ?? '')?.[0] ?? '';

/** `other` if most letters are not Latin. Greek letters are not counted, because formulas use them. */
const languageOf = (lines: readonly Line[]): 'en' | 'other' => {
  const text = lines.map((line) => line.text).join('');
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const all = text.match(/(?!\p{Script=Greek})\p{L}/gu)?.length ?? 0;
  return all > 0 && latin * 2 < all ? 'other' : 'en';
};
