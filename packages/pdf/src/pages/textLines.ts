import type { PdfPage } from '../pdfium.ts';
import type { Box, TextLine } from '../types.ts';

/** A page of print holds 3,000; a layer that hides a book is cut. */
const mostCharacters = 20_000;

/** Lines of the page's own text layer in its own order, boxes in fractions of the viewed page; [] when there is none. */
export function textLines(page: PdfPage): TextLine[] {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const layer = native._FPDFText_LoadPage(page.handle);
  if (layer === 0) return [];
  try {
    const count = Math.min(mostCharacters, native._FPDFText_CountChars(layer));
    const lines: TextLine[] = [];
    let text = '';
    let bounds: Bounds | null = null;
    const endLine = () => {
      const box = bounds === null ? null : visibleBox(page, bounds);
      const clean = text
        .toWellFormed()
        .replace(/[\p{Cc}\p{Cn}]/gu, '')
        .trim();
      if (box !== null && clean !== '') lines.push({ text: clean, box });
      text = '';
      bounds = null;
    };
    pdfium.withMemory(32, (pointer, view) => {
      for (let index = 0; index < count; index++) {
        const code = native._FPDFText_GetUnicode(layer, index);
        if (code === 10 || code === 13) {
          endLine();
          continue;
        }
        if (code > 0x10_ff_ff) continue;
        text += String.fromCodePoint(code);
        if (
          native._FPDFText_GetCharBox(layer, index, pointer, pointer + 8, pointer + 16, pointer + 24) === 0
        ) {
          continue;
        }
        const read = view();
        const [left, right, bottom, top] = [0, 8, 16, 24].map((at) => read.getFloat64(at, true));
        bounds = union(bounds, { left: left!, bottom: bottom!, right: right!, top: top! });
      }
      endLine();
    });
    return lines;
  } finally {
    native._FPDFText_ClosePage(layer);
  }
}

interface Bounds {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

function union(a: Bounds | null, b: Bounds): Bounds | null {
  if (!Number.isFinite(b.left + b.bottom + b.right + b.top)) return a;
  // Generated spaces have no extent and often no place either.
  if (b.left === b.right && b.bottom === b.top) return a;
  if (a === null) return b;
  return {
    left: Math.min(a.left, b.left),
    bottom: Math.min(a.bottom, b.bottom),
    right: Math.max(a.right, b.right),
    top: Math.max(a.top, b.top),
  };
}

/** Null for text a viewer does not show, outside the page. */
function visibleBox(page: PdfPage, { left, bottom, right, top }: Bounds): Box | null {
  const box = page.toViewed(left, bottom, right, top);
  const clamp = (value: number) => Math.max(0, Math.min(1, value));
  const [x, y] = [clamp(box.x), clamp(box.y)];
  const [width, height] = [clamp(box.x + box.width) - x, clamp(box.y + box.height) - y];
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}
