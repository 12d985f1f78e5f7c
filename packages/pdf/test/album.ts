import { PDFName, rgb, StandardFonts, TextRenderingMode, setTextRenderingMode } from '#pdf-lib';
import type { PDFDocument, PDFPage, PDFPageDrawTextOptions } from '#pdf-lib';
import sharp from 'sharp';
import { addScan, addText, scan } from './pdfs.ts';

const redCorner = '<rect x="30" y="30" width="100" height="60" fill="#e00000"/>';
const greenMark = '<rect x="900" y="1500" width="80" height="60" fill="#108030"/>';
const stamp = '<path d="M200 300 l300 54 l-20 140 l-300 -54 z" fill="#223a7a"/>';
const turns = [0, 90, 180, 270];
export const leans = [-4.2, -1.5, 2.3, 5];

/** The pages used by most tests, by name. One process extracts all of them. */
export const album: Record<string, (document: PDFDocument) => Promise<unknown>> = {
  small: async (document) => addScan(document, await scan({ width: 600, height: 849 })),
  stamp: async (document) => addScan(document, await scan({ lines: 0, mark: stamp })),
  empty: async (document) => addScan(document, await scan({ lines: 0 })),
  oneLine: async (document) => addScan(document, await scan({ lines: 1 })),
  broken: async (document) => {
    const jpeg = Buffer.from(await scan());
    await addScan(document, jpeg.fill(0x5a, Math.floor(jpeg.length * 0.6), Math.floor(jpeg.length * 0.9)));
  },
  whole: async (document) => addScan(document, await scan()),
  faint: async (document) => addScan(document, await faintScan()),
  text: (document) => addText(document, ['Photosynthesis needs light', 'Second line 2 + 2 = 4']),
  turnedText: (document) => addText(document, ['Photosynthesis needs light'], 90),
  ocrLayer: async (document) => {
    const page = await addScan(document, await scan({ width: 620, height: 877 }));
    page.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
    await write(document, page);
  },
  invisible: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page, { y: 400 });
    page.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
    await write(document, page);
  },
  underScan: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page);
    page.drawImage(await document.embedJpg(await scan({ width: 620, height: 877 })), {
      width: 595,
      height: 842,
    });
  },
  white: async (document) => write(document, document.addPage([595, 842]), { color: rgb(1, 1, 1) }),
  clear: async (document) => write(document, document.addPage([595, 842]), { opacity: 0.02 }),
  tiny: async (document) => write(document, document.addPage([595, 842]), { size: 1 }),
  covered: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page, { y: 400 });
    await write(document, page);
    page.drawRectangle({ x: 0, y: 600, width: 595, height: 242, color: rgb(1, 1, 1) });
  },
  overwritten: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page);
    page.drawRectangle({ x: 0, y: 600, width: 595, height: 242, color: rgb(1, 1, 1) });
    await write(document, page, { y: 706 });
  },
  drawnOver: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page);
    page.drawRectangle({ x: 60, y: 690, width: 400, height: 30, color: rgb(1, 1, 1) });
    page.drawLine({ start: { x: 72, y: 700 }, end: { x: 200, y: 706 }, thickness: 3 });
  },
  annotated: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page);
    const appearance = document.context.register(
      document.context.stream('1 1 1 rg 0 0 150 60 re f', {
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [0, 0, 150, 60],
      }),
    );
    const annotation = document.context.obj({
      Type: 'Annot',
      Subtype: 'FreeText',
      F: 4,
      Rect: [100, 680, 250, 740],
      AP: { N: appearance },
    });
    page.node.set(PDFName.of('Annots'), document.context.obj([document.context.register(annotation)]));
  },
  diagram: async (document) => {
    const page = document.addPage([595, 842]);
    await write(document, page);
    page.drawImage(await document.embedJpg(await scan({ width: 300, height: 424 })), {
      x: 100,
      y: 100,
      width: 300,
      height: 424,
    });
  },
  longText: (document) =>
    addText(
      document,
      Array.from({ length: 500 }, () => 'x'.repeat(100)),
    ),
  colour: async (document) => {
    const page = document.addPage([595, 842]);
    page.drawRectangle({ x: 100, y: 600, width: 100, height: 50, color: rgb(0.9, 0, 0) });
  },
};
for (const lean of leans) {
  album[`lean ${lean}`] = async (document) =>
    addScan(document, await scan({ leanDegrees: lean, mark: greenMark }));
}
for (const rotate of turns) {
  for (const [name, crop] of [
    ['whole', null],
    ['cropped', [40, 90]],
  ] as const) {
    const add = async (document: PDFDocument) =>
      addScan(document, await scan({ width: 620, height: 877, lines: 0, mark: redCorner }), { rotate, crop });
    album[`turn ${rotate} ${name} plain`] = add;
    album[`turn ${rotate} ${name} drawn`] = async (document) => {
      // A page with vector graphics is rendered.
      (await add(document)).drawCircle({ x: 300, y: 400, size: 1, color: rgb(0, 0, 0) });
    };
  }
}

const write = async (
  document: PDFDocument,
  page: PDFPage,
  how: PDFPageDrawTextOptions = {},
): Promise<void> => {
  const font = await document.embedFont(StandardFonts.Helvetica);
  page.drawText('1. The model answer, word for word.', { x: 72, y: 700, size: 14, font, ...how });
};

export const faintScan = async () =>
  sharp(await scan())
    .linear(0.3, 130)
    .jpeg()
    .toBuffer();
