import pdfiumUrl from '@hyzyla/pdfium/pdfium.wasm?url';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { expose } from 'comlink';
import { prepareZXingModule } from 'zxing-wasm/reader';
import zxingUrl from 'zxing-wasm/reader/zxing_reader.wasm?url';
import { prepareZXingModule as prepareWriter, writeBarcode } from 'zxing-wasm/writer';
import writerUrl from 'zxing-wasm/writer/zxing_writer.wasm?url';
import { cutCopies, type CutPage, type StackSource } from './cut.ts';
import { drawPages, PICTURE_WIDTH } from './drawPages.ts';
import { lookAt, type PageLook } from './lookAt.ts';

/*
 * Draws, looks at and cuts stacks of pages and makes the codes of covers, off the page's own thread, and under a policy
 * of its own, because it compiles WebAssembly. State: the files of the stack, by key; nothing
 * leaves the browser before the copies are uploaded.
 */

interface FoundPage extends PageLook {
  index: number;
  /** Pages of the file. */
  count: number;
  picture: Blob;
}

export interface CodeSquares {
  data: Uint8ClampedArray;
  width: number;
}

/** Width of the picture that a person sees. */
const SHOWN_WIDTH = 700;
/** Long side of a photo in a copy: 200 dpi of A4, as pages are drawn for grading. */
const PHOTO_SIDE = 2480;

const bytesAt = async (url: string): Promise<ArrayBuffer> => (await fetch(url)).arrayBuffer();
prepareZXingModule({ overrides: { locateFile: () => zxingUrl } });
prepareWriter({ overrides: { locateFile: () => writerUrl } });

const canvasOf = (width: number, height: number) => {
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width)), Math.max(1, Math.round(height)));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser has no canvas');
  return { canvas, context };
};
const scaled = (picture: ImageBitmap, share: number) => {
  const drawn = canvasOf(picture.width * share, picture.height * share);
  drawn.context.drawImage(picture, 0, 0, drawn.canvas.width, drawn.canvas.height);
  return drawn;
};
const jpegOf = (canvas: OffscreenCanvas, quality: number): Promise<Blob> =>
  canvas.convertToBlob({ type: 'image/jpeg', quality });

const createStackWorker = () => {
  let opening: Promise<PDFiumLibrary> | undefined;
  const openLibrary = async (): Promise<PDFiumLibrary> =>
    PDFiumLibrary.init({ wasmBinary: await bytesAt(pdfiumUrl) });
  const sources = new Map<string, StackSource>();

  const lookAtPhoto = async (key: string, file: Blob): Promise<FoundPage> => {
    const photo = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const long = Math.max(photo.width, photo.height);
    const kept = await jpegOf(scaled(photo, Math.min(1, PHOTO_SIDE / long)).canvas, 0.85);
    sources.set(key, { kind: 'jpeg', bytes: async () => new Uint8Array(await kept.arrayBuffer()) });
    const { canvas, context } = scaled(photo, Math.min(1, PICTURE_WIDTH / photo.width));
    const look = await lookAt(context.getImageData(0, 0, canvas.width, canvas.height));
    photo.close();
    const shown = await createImageBitmap(canvas);
    return {
      ...look,
      index: 0,
      count: 1,
      picture: await jpegOf(scaled(shown, Math.min(1, SHOWN_WIDTH / shown.width)).canvas, 0.7),
    };
  };

  return {
    /**
     * Looks at the pages of a file of the stack, one by one.
     * @param onPage is told of each page; if it answers false, no further page is looked at
     * @throws Error if the file cannot be read
     */
    look: async (
      key: string,
      file: Blob,
      isPhoto: boolean,
      onPage: (page: FoundPage) => Promise<boolean>,
    ): Promise<void> => {
      if (isPhoto) {
        await onPage(await lookAtPhoto(key, file));
        return;
      }
      sources.set(key, { kind: 'pdf', bytes: async () => new Uint8Array(await file.arrayBuffer()) });
      const library = await (opening ??= openLibrary());
      for await (const page of drawPages(library, new Uint8Array(await file.arrayBuffer()))) {
        const look = await lookAt(page);
        const { canvas, context } = canvasOf(page.width, page.height);
        context.putImageData(new ImageData(new Uint8ClampedArray(page.data), page.width, page.height), 0, 0);
        const shown = scaled(await createImageBitmap(canvas), Math.min(1, SHOWN_WIDTH / page.width)).canvas;
        const { index, count } = page;
        if (!(await onPage({ ...look, index, count, picture: await jpegOf(shown, 0.7) }))) return;
      }
    },
    /** One PDF of each copy, in their order. */
    cut: async (copies: readonly (readonly CutPage[])[]): Promise<Blob[]> => {
      const made: Blob[] = [];
      for await (const copy of cutCopies(copies, sources))
        made.push(new Blob([new Uint8Array(copy)], { type: 'application/pdf' }));
      return made;
    },
    /** The squares of a code for each text, row by row; dark ones are below 128. */
    codes: (texts: readonly string[]): Promise<CodeSquares[]> =>
      Promise.all(
        texts.map(async (text) => {
          const { symbol } = await writeBarcode(text, { format: 'QRCode' });
          return { data: symbol.data, width: symbol.width };
        }),
      ),
  };
};
export type StackWorker = ReturnType<typeof createStackWorker>;

expose(createStackWorker());
