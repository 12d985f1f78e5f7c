import { findObjects } from './findObjects.ts';
import type { ObjectPosition } from './findObjects.ts';
import { headerOffset } from './strayOffsets.ts';

/** Returns the file with a new cross-reference table appended, or null when it has no catalog. */
export const rebuildTable = (file: Buffer): Buffer | null => {
  const { places, root, encryption } = findObjects(file);
  if (root === null) return null;
  const header = headerOffset(file);
  const found = [...places].toSorted(([a], [b]) => a - b);
  const own = (found.at(-1)?.[0] ?? 0) + 1;
  // PDFium does not support larger object numbers.
  if (own > 4_000_000) return null;
  const ranges: [first: number, count: number][] = [];
  for (const [number] of found) {
    const last = ranges.at(-1);
    if (last !== undefined && last[0] + last[1] === number) last[1]++;
    else ranges.push([number, 1]);
  }
  const entries = Buffer.concat(found.map(([, place]) => entryOf(place, header)));
  const index = ranges.flat().join(' ');
  const start = file.length + 1 - header;
  return Buffer.concat([
    file,
    Buffer.from(
      `\n${own} 0 obj\n<< /Type /XRef /Size ${own + 1} /W [1 4 2] /Index [${index}] /Root ${root} ${encryption} /Length ${entries.length} >>\nstream\n`,
    ),
    entries,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`),
  ]);
};

/** Seven bytes: kind, then offset and generation, or container and index. */
const entryOf = (place: ObjectPosition, header: number): Buffer => {
  const entry = Buffer.alloc(7);
  const isOffset = place.kind === 'offset';
  entry.writeUInt8(isOffset ? 1 : 2, 0);
  entry.writeUInt32BE(isOffset ? Math.max(0, place.offset - header) : place.container, 1);
  entry.writeUInt16BE((isOffset ? place.generation : place.index) & 0xffff, 5);
  return entry;
};
