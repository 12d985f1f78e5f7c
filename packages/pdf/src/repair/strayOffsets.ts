/** Limit of revisions followed; files with more are left to PDFium. */
const MOST_SECTIONS = 100;

/**
 * True when the cross-reference table has an offset at which the named object does not start. PDFium trusts such a
 * table and leaves out the object, so a page can look empty; other viewers search for the object. Only text tables
 * are checked, not cross-reference streams.
 */
export const hasStrayOffsets = (file: Buffer): boolean => {
  const header = headerOffset(file);
  const offsets = new Map<number, number>();
  let at = startOfTable(file);
  for (let section = 0; at !== null && section < MOST_SECTIONS; section++) {
    const table = readTable(file, at + header);
    if (table === null) return false;
    // The newest revision comes first and takes precedence.
    for (const [number, offset] of table.offsets) if (!offsets.has(number)) offsets.set(number, offset);
    at = table.previous;
  }
  for (const [number, offset] of offsets) {
    if (!startsObject(file, offset + header, number)) return true;
  }
  return false;
};

/** Offset of the header, from which offsets in the table count. */
export const headerOffset = (file: Buffer): number => Math.max(0, file.subarray(0, 1024).indexOf('%PDF-'));

const startOfTable = (file: Buffer): number | null => {
  const at = file.lastIndexOf('startxref');
  const found = at === -1 ? null : /^startxref\s+(\d+)/.exec(file.toString('latin1', at, at + 40));
  return found === null ? null : Number(found[1]);
};

interface Table {
  offsets: Map<number, number>;
  previous: number | null;
}

/** Returns null unless a text table starts at `at`. */
const readTable = (file: Buffer, at: number): Table | null => {
  if (file.toString('latin1', at, at + 4) !== 'xref') return null;
  const end = file.indexOf('trailer', at);
  if (end === -1) return null;
  const tokens = file
    .toString('latin1', at + 4, end)
    .trim()
    .split(/\s+/);
  const offsets = new Map<number, number>();
  for (let next = 0; next < tokens.length;) {
    const [first, count] = [Number(tokens[next]), Number(tokens[next + 1])];
    next += 2;
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count)) return null;
    if (count < 0 || next + count * 3 > tokens.length) return null;
    for (let index = 0; index < count; index++, next += 3) {
      const offset = Number(tokens[next]);
      if (tokens[next + 2] === 'n' && offset > 0) offsets.set(first + index, offset);
    }
  }
  const previous = /\/Prev\s+(\d+)/.exec(file.toString('latin1', end, end + 2000));
  return { offsets, previous: previous === null ? null : Number(previous[1]) };
};

const startsObject = (file: Buffer, at: number, number: number): boolean => {
  const found = /^\s*(\d+)\s+\d+\s+obj/.exec(file.toString('latin1', at, at + 40));
  return found !== null && Number(found[1]) === number;
};
