import { degrees, PDFDocument } from 'pdf-lib';
import type { Turn } from './lookAt.ts';

/** A page of a copy: where it is, and how it is turned. */
export interface CutPage {
  file: string;
  index: number;
  turn: Turn;
}

/** The bytes of a file of the stack: a PDF, or a photo as JPEG. */
export interface StackSource {
  kind: 'pdf' | 'jpeg';
  bytes: () => Promise<Uint8Array>;
}

/** A4 in points. */
const [SHORT, LONG] = [595.28, 841.89];

/**
 * Makes one PDF of each copy. Pages are taken as they are, and a turn is written into the page, so that each program
 * shows it.
 * @throws Error for a file that pdf-lib cannot read
 */
export async function* cutCopies(
  copies: readonly (readonly CutPage[])[],
  sources: ReadonlyMap<string, StackSource>,
): AsyncGenerator<Uint8Array> {
  const opened = new Map<string, Promise<PDFDocument>>();
  const open = (key: string, { bytes }: StackSource): Promise<PDFDocument> => {
    const document =
      opened.get(key) ?? bytes().then((content) => PDFDocument.load(content, { updateMetadata: false }));
    opened.set(key, document);
    return document;
  };
  for (const pages of copies) {
    const copy = await PDFDocument.create();
    for (const { file, index, turn } of pages) {
      const source = sources.get(file);
      if (source === undefined) throw new Error('a page belongs to no file');
      if (source.kind === 'jpeg') addPhoto(copy, await copy.embedJpg(await source.bytes()), turn);
      else {
        const [page] = await copy.copyPages(await open(file, source), [index]);
        if (page === undefined) throw new Error('the file has no such page');
        page.setRotation(degrees((page.getRotation().angle + turn) % 360));
        copy.addPage(page);
      }
    }
    yield await copy.save();
  }
}

const addPhoto = (
  copy: PDFDocument,
  photo: Awaited<ReturnType<PDFDocument['embedJpg']>>,
  turn: Turn,
): void => {
  const isWide = photo.width > photo.height;
  const [width, height] = isWide ? [LONG, SHORT] : [SHORT, LONG];
  const scale = Math.min(width / photo.width, height / photo.height);
  // The sheet has the shape of the photo, so that nothing is cut off and nothing is added.
  const page = copy.addPage([photo.width * scale, photo.height * scale]);
  page.drawImage(photo, { x: 0, y: 0, width: photo.width * scale, height: photo.height * scale });
  page.setRotation(degrees(turn));
};
