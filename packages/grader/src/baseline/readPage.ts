import { readFile } from 'node:fs/promises';
import { clampBox, unionBox } from '../box.ts';
import type { Box, CallOptions, PageImage, ReadBlock, SeenPage } from '../grader.ts';
import { GraderFailure, isRead } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { boundBlocks } from '../readPages/bounds.ts';
import { blankReading } from '../readPages/readPages.ts';
import { boxBeforeTurn } from '../turn.ts';
import { withoutHead, type Line } from './cleanLines.ts';
import { readLabel } from './labels.ts';
import type { Ocr, Picture } from './ocr.ts';
import { readAnyWayUp } from './readAnyWayUp.ts';

/**
 * Reads the picture of one page offline. Lines become blocks, split at question labels. The reader knows Latin and
 * Greek letters, so that it reports no other language: writing in another script has a low legibility.
 */
export const readPageOffline = async (
  page: PageImage & Pick<Picture, 'paper'>,
  ocr: Ocr,
  options: CallOptions,
): Promise<SeenPage> => {
  if (!isRead(page)) return blankReading(page.page);
  const jpeg = await readFile(page.file).catch(() => {
    throw new GraderFailure('permanent', 'a page image could not be read');
  });
  // A page with ink that OCR cannot read is not blank: its legibility of 0 asks for a teacher.
  const { lines, legibility, turn } = await readAnyWayUp({ ...page, jpeg }, ocr, options);
  const written = withoutHead(page.page, lines);
  const respelled = written
    .flatMap(({ words }) => words)
    .flatMap(({ read, text }) => (read === undefined ? [] : [{ read, taken: text }]));
  const place = (box: Box): Box => (turn === 0 ? box : clampBox(boxBeforeTurn(box, turn)));
  return {
    page: page.page,
    legibility,
    language: 'en',
    turn,
    blocks: boundBlocks(blocksOf(written)).map((block) => ({ ...block, box: place(block.box) })),
    ...(respelled.length === 0 ? {} : { respelled }),
    printed: lines.filter((line) => !written.includes(line)).map(({ box }) => place(box)),
  };
};

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
