import type { PDFDocumentProxy, RenderTask } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../app/language.ts';

/** Width in pixels at which a page is drawn, so that it stays sharp when it is enlarged twice. */
const DRAWN_WIDTH = 1600;

/** Draws one page of a PDF to the width of its parent. */
export const PdfPage = ({
  document,
  page,
  onProblem,
}: {
  document: PDFDocumentProxy;
  page: number;
  onProblem: () => void;
}) => {
  const t = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [ratio, setRatio] = useState(1.414);
  useEffect(() => {
    let isOver = false;
    let task: RenderTask | undefined;
    const draw = async (): Promise<void> => {
      const loaded = await document.getPage(page);
      const target = canvas.current;
      if (isOver || target === null) return;
      const natural = loaded.getViewport({ scale: 1 });
      const viewport = loaded.getViewport({ scale: DRAWN_WIDTH / natural.width });
      setRatio(viewport.height / viewport.width);
      target.width = Math.ceil(viewport.width);
      target.height = Math.ceil(viewport.height);
      task = loaded.render({ canvas: target, viewport });
      await task.promise;
    };
    draw().catch(() => {
      if (!isOver) onProblem();
    });
    return () => {
      isOver = true;
      task?.cancel();
    };
  }, [document, page, onProblem]);
  return (
    <canvas
      ref={canvas}
      className="marking-canvas"
      role="img"
      aria-label={t('marking.page.picture', { page })}
      style={{ aspectRatio: `1 / ${ratio}` }}
    />
  );
};
