import type { PDFiumLibrary } from '@hyzyla/pdfium';
import type { Pixels } from './lookAt.ts';

/** Width of the picture of a page, in pixels. */
export const PICTURE_WIDTH = 1000;
/** A page that is longer than this share of its width is drawn narrower, so that a picture stays below 16 MB. */
const LONGEST = 4;

/**
 * Draws the pages of a PDF one by one.
 * @throws Error if it is no PDF, is damaged beyond reading, or needs a password
 */
export async function* drawPages(
  library: PDFiumLibrary,
  file: Uint8Array,
): AsyncGenerator<Pixels & { index: number; count: number }> {
  const document = await library.loadDocument(file);
  try {
    const count = document.getPageCount();
    for (let index = 0; index < count; index += 1) {
      const page = document.getPage(index);
      const size = page.getOriginalSize();
      const long = size.originalHeight / size.originalWidth;
      const { data, width, height } = await page.render({
        width: Math.max(1, Math.round(long > LONGEST ? (PICTURE_WIDTH * LONGEST) / long : PICTURE_WIDTH)),
        height: Math.max(1, Math.round(Math.min(long, LONGEST) * PICTURE_WIDTH)),
        // The library turns the order of the bytes, so red comes first.
        colorSpace: 'BGRA',
        render: 'bitmap',
        renderFormFields: true,
      });
      yield {
        data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength),
        width,
        height,
        index,
        count,
      };
    }
  } finally {
    document.destroy();
  }
}
