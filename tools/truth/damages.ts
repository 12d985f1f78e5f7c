import type { Sharp } from 'sharp';
import type { PdfObject } from '../../tests/harness/pdfFile.ts';

/** How the answer is written that the reader leaves out. Colours are SVG colours. */
export interface Writing {
  text: string;
  ink: string;
  paper: string;
  /** Height of the letters' square, pixels of 150 dpi. */
  letters: number;
  /** Baseline and left end, in fractions of the page; default: the answer's own place. */
  baseline?: number;
  left?: number;
}

/** Of the pixels of a page before it is coded. */
type Change = (page: Sharp) => Sharp;

/** The page as objects of a PDF: its resources, content and annotations. Objects from 4 on are those of `objects`. */
export interface Laid {
  objects: PdfObject[];
  resources: string;
  content: string;
  page?: string;
}

type Lay = (jpeg: Buffer, size: { width: number; height: number }) => Laid;

export interface Way {
  name: string;
  writing?: Partial<Writing>;
  /** SVG drawn under the writing. */
  under?: string;
  /** Clockwise turn of the paper on the scanner, degrees. */
  turn?: number;
  change?: Change;
  quality?: number;
  /** Pixels of the scan's long side. */
  long?: number;
  /** Lays the answer's page by itself; the answer stands on a page of its own. @param jpeg of that page */
  lay?: Lay;
}

const image = (jpeg: Buffer, { width, height }: { width: number; height: number }, more = ''): PdfObject => ({
  dictionary: `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode ${more} /Length ${jpeg.length} >>`,
  stream: jpeg,
});
const SHOW = 'q 595 0 0 842 0 0 cm /S Do Q';
const OBJECT = '/XObject << /S 4 0 R >>';

/** The JPEG as the only picture of its page. */
export const layScan = (jpeg: Buffer, size: { width: number; height: number }): Laid => ({
  objects: [image(jpeg, size)],
  resources: OBJECT,
  content: size.width > size.height ? 'q 842 0 0 595 0 0 cm /S Do Q' : SHOW,
});

const lines = (step: number, across: boolean): string =>
  Array.from({ length: 40 }, (_, at) => {
    const place = 60 + at * step;
    const [x2, y2] = across ? [1240, place] : [place, 1754];
    return `<line x1="${across ? 0 : place}" y1="${across ? place : 0}" x2="${x2}" y2="${y2}" stroke="#9fb4d0" stroke-width="2"/>`;
  }).join('');

const SHADOW =
  '<defs><linearGradient id="g"><stop offset="0" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#222" stop-opacity="0.6"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>';

const annotated =
  (annotation: string): Lay =>
  () => ({
    objects: [{ dictionary: annotation }],
    resources: '',
    content: '',
    page: '/Annots [4 0 R]',
  });

/** Ways in which an answer stands on the paper and may be missed. */
export const ways: readonly Way[] = [
  { name: 'as usual' },
  { name: 'one letter', writing: { text: 'B' } },
  { name: 'one small letter', writing: { text: 'B', letters: 26 } },
  { name: 'small print', writing: { letters: 24 } },
  { name: 'pencil', writing: { ink: '#b0b0b0' } },
  { name: 'pencil on grey paper', writing: { ink: '#8a8a8a', paper: '#cacac6' } },
  { name: 'very light', writing: { ink: '#d6d6d4' } },
  { name: 'pale blue pen', writing: { ink: '#a9bdf2' } },
  { name: 'red pen', writing: { ink: '#e04040' } },
  { name: 'at the foot of the page', writing: { baseline: 0.93 } },
  { name: 'in the margin', writing: { text: '42', left: 0.1 } },
  { name: 'at the right edge', writing: { text: '42', left: 0.86 } },
  { name: 'on ruled paper', under: lines(42, true) },
  { name: 'on squared paper', under: lines(42, true) + lines(42, false) },
  { name: 'in a shadow', under: SHADOW },
  { name: 'on dark paper', writing: { paper: '#6a6a66', ink: '#1c1c28' } },
  { name: 'on yellow paper', writing: { paper: '#efe2a0' } },
  { name: 'turned by 90°', turn: 90 },
  { name: 'upside down', turn: 180 },
  { name: 'turned by 270°', turn: 270 },
  { name: 'askew by 2°', turn: 2 },
  { name: 'askew by 4°', turn: -4 },
  { name: 'out of focus', change: (page) => page.blur(2.2) },
  { name: 'faded', change: (page) => page.linear(0.4, 150) },
  { name: 'grey', change: (page) => page.greyscale() },
  { name: 'a coarse JPEG', quality: 18 },
  { name: 'a small scan', long: 900 },
  {
    name: 'a JPEG that breaks off',
    lay: (jpeg, size) => layScan(jpeg.subarray(0, Math.floor(jpeg.length * 0.3)), size),
  },
  {
    name: 'a picture that is missing',
    lay: () => ({ objects: [], resources: '/XObject << /S 900 0 R >>', content: SHOW }),
  },
  {
    name: 'a picture that no decoder takes',
    lay: () => ({
      objects: [
        {
          dictionary:
            '<< /Type /XObject /Subtype /Image /Width 1240 /Height 1754 /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode /Length 20 >>',
          stream: Buffer.alloc(20, 7),
        },
      ],
      resources: OBJECT,
      content: SHOW,
    }),
  },
  {
    name: 'a broken picture in a form',
    lay: (jpeg, size) => {
      const form = 'q 595 0 0 842 0 0 cm /P Do Q';
      return {
        objects: [
          {
            dictionary: `<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /P 5 0 R >> >> /Length ${form.length} >>`,
            stream: Buffer.from(form),
          },
          image(Buffer.from(jpeg).fill(0x5a, 300), size),
        ],
        resources: OBJECT,
        content: SHOW,
      };
    },
  },
  {
    name: 'ink of a tablet without appearance',
    lay: annotated(
      '<< /Type /Annot /Subtype /Ink /F 4 /Rect [80 380 400 440] /C [0 0 0.5] /BS << /W 3 >> /InkList [[90 400 120 430 150 400 180 430 210 400 240 430]] >>',
    ),
  },
  {
    name: 'a drawn line without appearance',
    lay: annotated(
      '<< /Type /Annot /Subtype /PolyLine /F 4 /Rect [80 380 400 440] /C [0 0 0.5] /BS << /W 3 >> /Vertices [90 400 120 430 150 400 180 430] >>',
    ),
  },
];
