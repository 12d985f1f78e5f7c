/** A JPEG reduced to its picture, which can be put into a checked copy unchanged. */
export interface PlainJpeg {
  jpeg: Buffer;
  width: number;
  height: number;
  isGrey: boolean;
}

/** Scanners write at most about twelve scans. Each scan makes a viewer decode the whole picture again. */
const MOST_SCANS = 32;

/** JFIF 1.1 header without a thumbnail. It makes every decoder read three components as YCbCr. */
const start = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
const end = Buffer.from([0xff, 0xd9]);

const MARKER = {
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
const FRAMES = new Set([MARKER.baseline, MARKER.extended, MARKER.progressive]);
const TABLES = new Set([MARKER.huffmanTables, MARKER.quantisationTables, MARKER.restartInterval]);

/**
 * Keeps the frame, tables and scans of a JPEG byte for byte and drops EXIF, thumbnails, colour profiles, comments,
 * further pictures and trailing bytes.
 *
 * Returns null for a JPEG that decoders could read in different ways: arithmetic coding, 12 bits, CMYK, RGB without a
 * transform, more than one frame, a height given after the frame, or no end marker. The caller encodes the pixels of
 * such a JPEG anew.
 */
export const plainJpeg = (jpeg: Buffer): PlainJpeg | null => {
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
    if (kind === MARKER.endOfImage) break;
    if (at + 3 > jpeg.length) return null;
    const length = jpeg.readUInt16BE(at + 1);
    const body = jpeg.subarray(at + 3, at + 1 + length);
    if (length < 2 || body.length !== length - 2) return null;
    const segment = jpeg.subarray(at - 1, at + 1 + length);
    at += 1 + length;
    if (FRAMES.has(kind)) {
      if (frame !== null) return null;
      frame = readFrame(body, colours);
      if (frame === null) return null;
      kept.push(segment);
    } else if (TABLES.has(kind)) {
      kept.push(segment);
    } else if (kind === MARKER.scan) {
      if (frame === null || ++scans > MOST_SCANS) return null;
      const next = endOfScan(jpeg, at);
      if (next === null) return null;
      kept.push(segment, jpeg.subarray(at, next));
      at = next;
    } else if (kind >= MARKER.app0 && kind <= MARKER.app15) {
      // JFIF or Adobe segments after the frame change the colours in some decoders; scanners do not write them.
      if (frame === null) noteColours(kind, body, colours);
      else if (kind === MARKER.app0 || kind === MARKER.app14) return null;
    } else if (kind !== MARKER.comment) {
      return null;
    }
  }
  if (frame === null || scans === 0) return null;
  return { ...frame, jpeg: Buffer.concat([...kept, end]) };
};

interface Colours {
  hasJfif: boolean;
  adobeTransform: number | null;
}

/** Reads the colour segments as libjpeg does, because libjpeg decoded the picture that was graded. */
const noteColours = (kind: number, body: Buffer, colours: Colours): void => {
  const beginsWith = (name: string, least: number) =>
    body.length >= least && body.toString('latin1', 0, name.length) === name;
  if (kind === MARKER.app0 && beginsWith('JFIF\0', 14)) colours.hasJfif = true;
  if (kind === MARKER.app14 && beginsWith('Adobe', 12)) colours.adobeTransform = body[11] ?? 0;
};

const readFrame = (body: Buffer, colours: Colours): Omit<PlainJpeg, 'jpeg'> | null => {
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
};

/** Returns the offset of the next marker after the coded data (restart markers belong to the data), or null. */
const endOfScan = (jpeg: Buffer, from: number): number | null => {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const next = jpeg[at + 1];
    if (next === undefined) return null;
    const belongsToData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!belongsToData) return at;
  }
  return null;
};
