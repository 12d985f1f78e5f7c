import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName, PDFString } from '#pdf-lib';
import sharp from 'sharp';
import { addText, lockedPdf, rawPdf, scan, scannedPdf } from './pdfs.ts';

/*
 * Uploads that try to run code, to show a teacher other content than was graded, or to hide or forge marks. Each is
 * small and quick to process; files that exhaust time or memory are in other tests. Content that must not reach the
 * checked copy contains EVIL.
 */

const stream = (content: string | Buffer, entries = ''): string => {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content, 'latin1');
  return `<< ${entries} /Length ${bytes.length} >>\nstream\n${bytes.toString('latin1')}\nendstream`;
};

const form = (box = '[0 0 595 842]', entries = ''): string =>
  `/Type /XObject /Subtype /Form /BBox ${box} /Resources << /Font << /F 5 0 R >> >> ${entries}`;

const js = '<< /S /JavaScript /JS (app.alert\\("EVIL"\\);) >>';
const written =
  'BT /F 20 Tf 60 700 Td (Q1. Plants use light energy.) Tj ET 0 0 0 rg 60 500 200 80 re f 0 0 0.6 rg 300 300 90 140 re f';
const fakeMarks = stream('1 1 1 rg 0 0 595 842 re f 0.8 0 0 rg BT /F 90 Tf 150 420 Td (5 / 5) Tj ET', form());

interface OnePage {
  content?: string;
  page?: string;
  resources?: string;
  catalog?: string;
  objects?: string[];
  box?: string;
}

/** Object 3 is the page, 4 its content, 5 a font. */
const onePage = (parts: OnePage): Buffer => rawPdf(objectsOf(parts));

const objectsOf = ({
  content = written,
  page = '',
  resources = '',
  catalog = '',
  objects = [],
  box,
}: OnePage) => [
  `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
  '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  `<< /Type /Page /Parent 2 0 R /MediaBox ${box ?? '[0 0 595 842]'} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> ${resources} >> ${page} >>`,
  stream(content),
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ...objects,
];

const annotation = (subtype: string, entries: string): string =>
  `<< /Type /Annot /Subtype /${subtype} /F 4 /Rect [0 0 595 842] ${entries} >>`;

const picture = (bytes: Buffer, width: number, height: number, entries: string): string =>
  stream(
    bytes,
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 ${entries}`,
  );

const fillPage = 'q 595 0 0 842 0 0 cm /P Do Q';

const jpegPage = (jpeg: Buffer, [width, height]: [number, number], entries = '', page = ''): Buffer =>
  onePage({
    content: fillPage,
    resources: '/XObject << /P 6 0 R >>',
    page,
    objects: [picture(jpeg, width, height, `/ColorSpace /DeviceRGB /Filter /DCTDecode ${entries}`)],
  });

const [scanWidth, scanHeight] = [620, 877];
const mark = '<rect x="40" y="60" width="180" height="90" fill="#103060"/>';
const page = () => scan({ width: scanWidth, height: scanHeight, lines: 8, mark });
const size: [number, number] = [scanWidth, scanHeight];

const withSegment = (jpeg: Buffer, marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
};

/** Every 16th pixel is dark. A reader that skips pixels sees a black page; one that averages sees light grey. */
const sparsePixels = (): Buffer => {
  const side = 3200;
  const data = Buffer.alloc(side * side, 255);
  for (let y = 0; y < side; y += 16) for (let x = 0; x < side; x += 16) data[y * side + x] = 0;
  return onePage({
    content: `${written} q 400 0 0 400 100 50 cm /P Do Q`,
    resources: '/XObject << /P 6 0 R >>',
    objects: [picture(deflateSync(data), side, side, '/ColorSpace /DeviceGray /Filter /FlateDecode')],
  });
};

const withObjectStreams = async (): Promise<Buffer> => {
  const document = await PDFDocument.create();
  await addText(document, ['Q1. Plants use light energy.']);
  document.addJavaScript('evil', 'app.alert("EVIL")');
  await document.attach(Buffer.from('MZ EVIL'), 'evil.exe');
  const action = document.context.obj({ S: 'Launch', F: PDFString.of('EVIL.exe') });
  document.catalog.set(PDFName.of('OpenAction'), document.context.register(action));
  return Buffer.from(await document.save());
};

/** A file with a second revision, with or without a table that names it. */
export const revised = (isNamed: boolean): Buffer => {
  const first = onePage({});
  const content = stream(written.replace('light energy', 'nothing at all'));
  const start = first.length;
  const body = `4 0 obj\n${content}\nendobj\n`;
  const named = `xref\n4 1\n${String(start).padStart(10, '0')} 00000 n \ntrailer\n<< /Size 6 /Root 1 0 R /Prev ${startOf(first)} >>\nstartxref\n${start + body.length}\n%%EOF\n`;
  const unnamed = `startxref\n${startOf(first)}\n%%EOF\n`;
  return Buffer.concat([first, Buffer.from(body + (isNamed ? named : unnamed), 'latin1')]);
};

const startOf = (file: Buffer): number =>
  Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(file.toString('latin1'))?.[1]);

/** Object 4 exists twice. The table names the first; a program that searches for objects finds the second. */
export const twoContents = (): Buffer => {
  const objects = objectsOf({});
  const second = `4 0 obj\n${stream(written.replace('light energy', 'nothing at all'))}\nendobj\n`;
  const whole = rawPdf(objects).toString('latin1');
  const table = whole.lastIndexOf('xref\n0 ');
  return Buffer.from(
    (whole.slice(0, table) + second + whole.slice(table)).replace(
      /startxref\n\d+/,
      `startxref\n${table + second.length}`,
    ),
    'latin1',
  );
};

const replaced = (file: Buffer, what: string | RegExp, by: string): Buffer =>
  Buffer.from(file.toString('latin1').replace(what, by), 'latin1');

const inlinePicture = `q 200 0 0 200 300 100 cm BI /W 2 /H 2 /BPC 8 /CS /G ID ${String.fromCodePoint(0, 255, 255, 0)} EI Q`;

export const hostilePdfs: Record<string, () => Buffer | Promise<Buffer>> = {
  'a script that runs when the file is opened': () =>
    onePage({
      catalog: `/OpenAction ${js} /AA << /WC ${js} >> /Names << /JavaScript << /Names [(a) ${js}] >> >>`,
      page: `/AA << /O ${js} >>`,
    }),
  'links to a program and to a web address': () =>
    onePage({
      page: '/Annots [6 0 R 7 0 R]',
      objects: [
        annotation('Link', '/A << /S /Launch /F (EVIL.exe) /Win << /F (EVIL.exe) >> >>'),
        annotation('Link', '/Border [0 0 9] /A << /S /URI /URI (https://EVIL.example) >>'),
      ],
    }),
  'an embedded program': () =>
    onePage({
      catalog: '/Names << /EmbeddedFiles << /Names [(EVIL.exe) 7 0 R] >> >> /Collection << /View /T >>',
      page: '/Annots [6 0 R]',
      objects: [
        annotation('FileAttachment', '/FS 7 0 R'),
        '<< /Type /Filespec /F (EVIL.exe) /EF << /F 8 0 R >> >>',
        stream('MZ EVIL', '/Type /EmbeddedFile'),
      ],
    }),
  'a text annotation over the place of the total': () =>
    onePage({
      page: '/Annots [6 0 R]',
      objects: [
        '<< /Type /Annot /Subtype /FreeText /F 4 /Rect [290 720 590 840] /DA (/F 40 Tf) /Contents (5 / 5) /AP << /N 7 0 R >> >>',
        stream(
          '0.9 1 0.9 rg 0 0 300 120 re f 0 0.5 0 rg BT /F 40 Tf 20 40 Td (5 / 5) Tj ET',
          form('[0 0 300 120]'),
        ),
      ],
    }),
  'a stamp over the whole page with marks of its own': () =>
    onePage({ page: '/Annots [6 0 R]', objects: [annotation('Stamp', '/AP << /N 7 0 R >>'), fakeMarks] }),
  'an annotation that shows on paper only': () =>
    onePage({
      page: '/Annots [6 0 R]',
      objects: ['<< /Type /Annot /Subtype /Stamp /F 36 /Rect [0 0 595 842] /AP << /N 7 0 R >> >>', fakeMarks],
    }),
  'a filled form': () =>
    onePage({
      catalog: '/AcroForm << /Fields [6 0 R] /DR << /Font << /F 5 0 R >> >> /DA (/F 18 Tf) >>',
      page: '/Annots [6 0 R]',
      objects: [
        `<< /Type /Annot /Subtype /Widget /FT /Tx /T (EVIL) /V (typed answer) /DA (/F 18 Tf 0 g) /F 4 /Rect [60 600 400 640] /AA << /K ${js} >> /AP << /N 7 0 R >> >>`,
        stream('BT /F 18 Tf 4 10 Td (typed answer) Tj ET', form('[0 0 340 40]')),
      ],
    }),
  'a form of XML': () =>
    onePage({
      catalog: '/AcroForm << /Fields [] /XFA 6 0 R >> /NeedsRendering true',
      objects: [stream('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">EVIL</xdp:xdp>')],
    }),
  'a state restored too often, and a clip of one point': () =>
    onePage({ content: `${written} Q Q Q 0 0 1 1 re W n q` }),
  'states that are never restored, scaled down and clipped': () =>
    onePage({ content: `${written} q q q 0.001 0 0 0.001 0 0 cm 0 0 1 1 re W n q` }),
  'a clip of letters that is never ended': () =>
    onePage({ content: `${written} BT /F 30 Tf 7 Tr 60 200 Td (clip) Tj ET` }),
  'a text object that is never ended': () => onePage({ content: `${written} BT /F 1 Tf 3 Tr` }),
  'content that breaks off inside of a string': () => onePage({ content: `${written} (never closed` }),
  'two contents of one number': twoContents,
  'a second revision with other content': () => revised(true),
  'a second revision that the table does not name': () => revised(false),
  'packed objects with a script and a program': withObjectStreams,
  'a table whose offsets are wrong': () => replaced(onePage({}), /(\d{10}) 00000 n/g, '0000000033 00000 n'),
  'a file that lost its table': () => {
    const file = onePage({ catalog: `/OpenAction ${js}` });
    return Buffer.concat([file.subarray(0, startOf(file)), Buffer.from('%%EOF\n')]);
  },
  'a layer that is switched off': () =>
    onePage({
      content: `${written} /OC /L BDC 0.8 0 0 rg BT /F 60 Tf 100 200 Td (5 / 5) Tj ET EMC`,
      resources: '/Properties << /L 6 0 R >>',
      catalog: '/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>',
      objects: ['<< /Type /OCG /Name (EVIL) >>'],
    }),
  'a layer that is switched off over a scan': async () => {
    const jpeg = await page();
    return onePage({
      content: `/OC /L BDC ${fillPage} EMC`,
      resources: '/XObject << /P 7 0 R >> /Properties << /L 6 0 R >>',
      catalog: '/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>',
      objects: [
        '<< /Type /OCG /Name (EVIL) >>',
        picture(jpeg, ...size, '/ColorSpace /DeviceRGB /Filter /DCTDecode'),
      ],
    });
  },
  'a page that hangs in the tree twice': () =>
    replaced(onePage({}), '[3 0 R] /Count 1', '[3 0 R 3 0 R] /Count 2'),
  'a page in units of ten points': () =>
    onePage({ content: `0.1 0 0 0.1 0 0 cm ${written}`, box: '[0 0 59.5 84.2]', page: '/UserUnit 10' }),
  'a box of negative numbers, the wrong way round': () =>
    onePage({ content: `1 0 0 1 -300 -400 cm ${written}`, box: '[295 442 -300 -400]' }),
  'a crop box larger than the page': () => onePage({ page: '/CropBox [-500 -500 2000 2000]' }),
  'a scan turned by 90°': async () => scannedPdf([await page()], { size: [842, 595], rotate: 90 }),
  'a scan turned by 180° and cropped': async () =>
    scannedPdf([await page()], { rotate: 180, crop: [40, 90] }),
  'a scan turned by -90°': async () => jpegPage(await page(), size, '', '/Rotate -90'),
  'a page turned by 270° with writing': () => onePage({ page: '/Rotate 270' }),
  'a soft mask that is left switched on': () =>
    onePage({
      content: `${written} /S gs`,
      resources: '/ExtGState << /S << /SMask << /S /Luminosity /G 6 0 R >> >> >>',
      objects: [
        stream(
          '0 g 0 0 595 842 re f',
          form('[0 0 595 842]', '/Group << /S /Transparency /CS /DeviceGray >>'),
        ),
      ],
    }),
  'a blend mode that is left switched on': () =>
    onePage({
      content: `${written} /S gs 1 1 1 rg 200 200 200 500 re f`,
      resources: '/ExtGState << /S << /BM /Difference /ca 0.6 /CA 0 >> >>',
    }),
  'a tiling pattern': () =>
    onePage({
      content: `${written} /Pattern cs /T scn 60 100 300 160 re f`,
      resources: '/Pattern << /T 6 0 R >>',
      objects: [
        stream(
          '0.7 0 0 rg 0 0 20 20 re f',
          '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 40 40] /XStep 40 /YStep 40 /Resources << >>',
        ),
      ],
    }),
  'a font whose letters are drawings': () =>
    onePage({
      content: `${written} BT /T 40 Tf 60 200 Td (aaa) Tj ET`,
      resources: '/Font << /F 5 0 R /T 6 0 R >>',
      objects: [
        '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a 7 0 R >> /Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [1000] /Resources << >> >>',
        stream('1000 0 0 0 750 750 d1 0 0 750 750 re f'),
      ],
    }),
  'forms inside of forms': () =>
    onePage({
      content: `${written} /A Do`,
      resources: '/XObject << /A 6 0 R >>',
      objects: [
        stream(
          '0.5 0 0 0.5 0 0 cm /B Do q',
          `/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /B 7 0 R >> >>`,
        ),
        stream('0 0.4 0 rg 200 200 400 300 re f Q Q 0 0 1 1 re W n', form()),
      ],
    }),
  'a picture inside of the content': () => onePage({ content: `${written} ${inlinePicture}` }),
  'white boxes over an answer, and another answer over them': () =>
    onePage({
      content: `${written} 1 1 1 rg 40 480 500 260 re f 0 0 0 rg BT /F 20 Tf 60 600 Td (Another answer.) Tj ET`,
    }),
  'a JPEG that asks to be turned': async () =>
    jpegPage(
      await sharp(await page())
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer(),
      size,
    ),
  'a JPEG with a colour profile of its own': async () =>
    jpegPage(
      await sharp(await page())
        .withIccProfile('p3')
        .jpeg()
        .toBuffer(),
      size,
    ),
  'a JPEG with a comment, a thumbnail and another JPEG behind its end': async () => {
    const jpeg = withSegment(await page(), 0xfe, Buffer.from('EVIL'));
    const other = await scan({ width: 300, height: 424, lines: 30 });
    return jpegPage(
      Buffer.concat([withSegment(jpeg, 0xe1, Buffer.from('Exif\0\0EVIL')), other, Buffer.from('EVIL')]),
      size,
    );
  },
  'a JPEG of four colours': async () =>
    onePage({
      content: fillPage,
      resources: '/XObject << /P 6 0 R >>',
      objects: [
        picture(
          await sharp(await page())
            .toColourspace('cmyk')
            .jpeg()
            .toBuffer(),
          ...size,
          '/ColorSpace /DeviceCMYK /Filter /DCTDecode',
        ),
      ],
    }),
  'a JPEG whose colours are said to be no YCbCr': async () => {
    const jpeg = await page();
    // Without JFIF, decoders use the Adobe segment.
    const bare = Buffer.concat([jpeg.subarray(0, 2), jpeg.subarray(20)]);
    return jpegPage(withSegment(bare, 0xee, Buffer.from('Adobe\0d\0\0\0\0\0', 'latin1')), size);
  },
  'a JPEG that breaks off': async () => {
    const jpeg = await page();
    return jpegPage(jpeg.subarray(0, Math.floor(jpeg.length * 0.6)), size);
  },
  'a JPEG shown with inverted colours': async () => jpegPage(await page(), size, '/Decode [1 0 1 0 1 0]'),
  'a progressive JPEG': async () =>
    jpegPage(
      await sharp(await page())
        .jpeg({ progressive: true })
        .toBuffer(),
      size,
    ),
  'a JPEG with a mask that hides half of it': async () => {
    const mask = Buffer.alloc(scanWidth * scanHeight, 255).fill(0, (scanWidth * scanHeight) / 2);
    return onePage({
      content: fillPage,
      resources: '/XObject << /P 6 0 R >>',
      objects: [
        picture(await page(), ...size, '/ColorSpace /DeviceRGB /Filter /DCTDecode /SMask 7 0 R'),
        picture(deflateSync(mask), ...size, '/ColorSpace /DeviceGray /Filter /FlateDecode'),
      ],
    });
  },
  'a clip over a scan': async () => {
    const content = `100 100 200 200 re W n ${fillPage}`;
    return replaced(jpegPage(await page(), size), stream(fillPage), stream(content));
  },
  'a picture that shows another one where pixels are skipped': sparsePixels,
  'a tiny page with a large picture': async () => scannedPdf([await page()], { size: [8.27, 11.69] }),
  'a file locked with an empty password': () => lockedPdf,
  'a page without a type': () => replaced(onePage({}), '/Type /Page /Parent', '/Parent'),
};
