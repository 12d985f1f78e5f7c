/** Revisions of a file that are followed; a file that was edited more often is left to PDFium. */
const mostSections = 100;

/**
 * Whether the cross-reference table leads to something else than the objects it names. PDFium trusts such a table and
 * leaves out what it does not find, so a page may look empty that is not; other viewers look for the objects themselves.
 * Only tables of text are checked, not cross-reference streams.
 */
export function hasStrayOffsets(file: Buffer): boolean {
  const header = headerOffset(file);
  const offsets = new Map<number, number>();
  let at = startOfTable(file);
  for (let section = 0; at !== null && section < mostSections; section++) {
    const table = readTable(file, at + header);
    if (table === null) return false;
    // The newest revision comes first, and counts.
    for (const [number, offset] of table.offsets) if (!offsets.has(number)) offsets.set(number, offset);
    at = table.previous;
  }
  for (const [number, offset] of offsets) {
    if (!startsObject(file, offset + header, number)) return true;
  }
  return false;
}

/** Offsets count from the header, which may have something in front of it. */
export function headerOffset(file: Buffer): number {
  return Math.max(0, file.subarray(0, 1024).indexOf('%PDF-'));
}

function startOfTable(file: Buffer): number | null {
  const at = file.lastIndexOf('startxref');
  const found = at === -1 ? null : /^startxref\s+(\d+)/.exec(file.toString('latin1', at, at + 40));
  return found === null ? null : Number(found[1]);
}

interface Table {
  /** Of the objects in use. */
  offsets: Map<number, number>;
  previous: number | null;
}

/** Null for what is not a table of text. */
function readTable(file: Buffer, at: number): Table | null {
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
}

function startsObject(file: Buffer, at: number, number: number): boolean {
  const found = /^\s*(\d+)\s+\d+\s+obj/.exec(file.toString('latin1', at, at + 40));
  return found !== null && Number(found[1]) === number;
}
