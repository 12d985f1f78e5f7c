import type { PDFDocumentProxy } from 'pdfjs-dist';

/** Width in pixels at which a page is drawn, so that it stays sharp when it is enlarged twice. */
const DRAWN_WIDTH = 1600;

/** Draws a page to a canvas, and gives the canvas its size. @throws the signal's reason, or what pdf.js throws */
const drawTo = async (
  canvas: HTMLCanvasElement,
  document: PDFDocumentProxy,
  page: number,
  signal?: AbortSignal,
): Promise<void> => {
  const loaded = await document.getPage(page);
  signal?.throwIfAborted();
  const natural = loaded.getViewport({ scale: 1 });
  const viewport = loaded.getViewport({ scale: DRAWN_WIDTH / natural.width });
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  const task = loaded.render({ canvas, viewport });
  signal?.addEventListener('abort', () => task.cancel());
  await task.promise;
};

/** One page of each document that was drawn ahead. A picture is freed with its document. */
const drawnAhead = new WeakMap<PDFDocumentProxy, { page: number; canvas: Promise<HTMLCanvasElement> }>();

/** Draws the page that will probably be shown first, so that showing it is a copy of a picture. */
export const drawAhead = (pdf: PDFDocumentProxy, page: number): void => {
  if (drawnAhead.get(pdf)?.page === page) return;
  const draw = async (): Promise<HTMLCanvasElement> => {
    const canvas = document.createElement('canvas');
    await drawTo(canvas, pdf, page);
    return canvas;
  };
  const canvas = draw();
  drawnAhead.set(pdf, { page, canvas });
  // The page is drawn again when it is shown, and a problem is reported then.
  canvas.catch(() => drawnAhead.delete(pdf));
};

/** Shows a page on a canvas: the picture that was drawn ahead, or a new drawing. @throws as `drawTo` */
export const showPage = async (
  canvas: HTMLCanvasElement,
  pdf: PDFDocumentProxy,
  page: number,
  signal: AbortSignal,
): Promise<void> => {
  const ahead = drawnAhead.get(pdf);
  const picture = ahead?.page === page ? await ahead.canvas.catch(() => null) : null;
  signal.throwIfAborted();
  if (picture === null) return drawTo(canvas, pdf, page, signal);
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
};
