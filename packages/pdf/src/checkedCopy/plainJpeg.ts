/** A JPEG without anything but its picture: what may go into a checked copy as it was scanned. */
export interface PlainJpeg {
  jpeg: Buffer;
  width: number;
  height: number;
  isGrey: boolean;
}

/** A scanner writes at most a dozen; each one makes a viewer decode the whole picture again. */
const mostScans = 32;

/** JFIF 1.1 without a thumbnail: three components are YCbCr to every decoder. */
const start = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
const end = Buffer.from([0xff, 0xd9]);

const marker = {
  baseline: 0xc0,
  extended: 0xc1,
  progressive: 0xc2,
  huffmanTables: 0xc4,
  startOfImage: 0xd8,
  endOfImage: 0xd9,
  scan: 0xda,
  quantisationTables: 0xdb,
  restartInterval: 0xdd,
  app0: 0xe0,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
};
const frames = new Set([marker.baseline, marker.extended, marker.progressive]);
const tables = new Set([marker.huffmanTables, marker.quantisationTables, marker.restartInterval]);

/**
 * Keeps frame, tables and scans of a JPEG, byte for byte, and drops everything else: EXIF, thumbnails, colour profiles,
 * comments, further pictures and whatever follows the end.
 *
 * Null for a JPEG that decoders might read in different ways: arithmetic coding, 12 bits, CMYK, RGB without a
 * transform, more than one frame, a size that is told later, or no end. Its pixels are encoded anew instead.
 */
export function plainJpeg(jpeg: Buffer): PlainJpeg | null {
  if (jpeg.length < 4 || jpeg.readUInt16BE(0) !== 0xffd8) return null;
  const kept: Buffer[] = [start];
  let frame: Omit<PlainJpeg, 'jpeg'> | null = null;
  let scans = 0;
  const colours: Colours = { hasJfif: false, adobeTransform: null };
  for (let at = 2; ;) {
    if (jpeg[at] !== 0xff) return null;
    while (jpeg[at] === 0xff) at++;
    const kind = jpeg[at];
    if (kind === undefined) return null;
    if (kind === marker.endOfImage) break;
    if (at + 3 > jpeg.length) return null;
    const length = jpeg.readUInt16BE(at + 1);
    const body = jpeg.subarray(at + 3, at + 1 + length);
    if (length < 2 || body.length !== length - 2) return null;
    const segment = jpeg.subarray(at - 1, at + 1 + length);
    at += 1 + length;
    if (frames.has(kind)) {
      if (frame !== null) return null;
      frame = readFrame(body, colours);
      if (frame === null) return null;
      kept.push(segment);
    } else if (tables.has(kind)) {
      kept.push(segment);
    } else if (kind === marker.scan) {
      if (frame === null || ++scans > mostScans) return null;
      const next = endOfScan(jpeg, at);
      if (next === null) return null;
      kept.push(segment, jpeg.subarray(at, next));
      at = next;
    } else if (kind >= marker.app0 && kind <= marker.app15) {
      // After the frame they could still change the colours of some decoders: such a file is none of a scanner's.
      if (frame === null) noteColours(kind, body, colours);
      else if (kind === marker.app0 || kind === marker.app14) return null;
    } else if (kind !== marker.comment) {
      return null;
    }
  }
  if (frame === null || scans === 0) return null;
  return { ...frame, jpeg: Buffer.concat([...kept, end]) };
}

interface Colours {
  hasJfif: boolean;
  adobeTransform: number | null;
}

/** As libjpeg reads them, which decoded the picture that was graded. */
function noteColours(kind: number, body: Buffer, colours: Colours): void {
  const says = (name: string, least: number) =>
    body.length >= least && body.toString('latin1', 0, name.length) === name;
  if (kind === marker.app0 && says('JFIF\0', 14)) colours.hasJfif = true;
  if (kind === marker.app14 && says('Adobe', 12)) colours.adobeTransform = body[11] ?? 0;
}

function readFrame(body: Buffer, colours: Colours): Omit<PlainJpeg, 'jpeg'> | null {
  if (body.length < 6) return null;
  const [precision, components] = [body[0], body[5]];
  const [height, width] = [body.readUInt16BE(1), body.readUInt16BE(3)];
  if (precision !== 8 || width === 0 || height === 0) return null;
  if (components === 1) return { width, height, isGrey: true };
  if (components !== 3 || body.length < 15) return null;
  const ids = [body[6], body[9], body[12]].join();
  const isNumbered = ids === '1,2,3' || ids === '0,1,2';
  const isYcc = colours.hasJfif || colours.adobeTransform === null || colours.adobeTransform === 1;
  return isNumbered && isYcc ? { width, height, isGrey: false } : null;
}

/** Where the next marker after the coded data begins; restarts belong to the data. Null when there is none. */
function endOfScan(jpeg: Buffer, from: number): number | null {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const next = jpeg[at + 1];
    if (next === undefined) return null;
    const belongsToData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!belongsToData) return at;
  }
  return null;
}
