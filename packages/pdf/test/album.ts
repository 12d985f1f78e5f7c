import { rgb } from '#pdf-lib';
import type { PDFDocument } from '#pdf-lib';
import sharp from 'sharp';
import { addScan, scan } from './pdfs.ts';

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

export const faintScan = async () =>
  sharp(await scan())
    .linear(0.3, 130)
    .jpeg()
    .toBuffer();
