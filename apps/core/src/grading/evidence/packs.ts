import { createHash } from 'node:crypto';

/** A part as bytes of canonical JSON. */
export interface EncodedPart {
  bytes: Buffer;
  sha256: string;
}

/** Place of a part in the decompressed object `pack`. */
interface PlacedPart {
  sha256: string;
  sizeBytes: number;
  pack: number;
  offset: number;
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

export const encodePart = (canonical: string): EncodedPart => {
  const bytes = Buffer.from(canonical);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
};

/**
 * Packs parts into JSON arrays, in order. A new array begins where `mostBytes` would be exceeded. A part is found by
 * its offset, so that reading one part does not parse the others.
 */
export const packParts = (
  parts: readonly EncodedPart[],
  mostBytes: number,
): { packs: Buffer[]; places: PlacedPart[] } => {
  const packs: Buffer[][] = [];
  const places: PlacedPart[] = [];
  let size = Infinity;
  for (const { bytes, sha256 } of parts) {
    if (size + COMMA.length + bytes.length + CLOSE.length > mostBytes) {
      packs.push([OPEN]);
      size = OPEN.length;
    } else {
      packs.at(-1)?.push(COMMA);
      size += COMMA.length;
    }
    places.push({ sha256, sizeBytes: bytes.length, pack: packs.length - 1, offset: size });
    packs.at(-1)?.push(bytes);
    size += bytes.length;
  }
  return { packs: packs.map((chunks) => Buffer.concat([...chunks, CLOSE])), places };
};
