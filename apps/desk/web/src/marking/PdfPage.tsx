import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../app/language.ts';
import { showPage } from './drawPage.ts';

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
    const target = canvas.current;
    if (target === null) return;
    const leaving = new AbortController();
    showPage(target, document, page, leaving.signal).then(
      () => setRatio(target.height / target.width),
      () => {
        if (!leaving.signal.aborted) onProblem();
      },
    );
    return () => leaving.abort();
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
