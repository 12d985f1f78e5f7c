/** Conditional headers (RFC 9110, chapter 13) and byte ranges, decided over a record alone. */
import { S3Error } from './errors.ts';
import type { ObjectRecord } from './storage.ts';

type Headers = Record<string, string>;

const failed = () =>
  new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');

/** Whether one of a header's entity tags is the object's, or it is `*`. */
function names(header: string, etag: string): boolean {
  return header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
    .some((tag) => tag === '*' || tag === etag);
}

/** HTTP dates have whole seconds, so the object's time is cut to them before comparing. */
function isModifiedAfter(record: ObjectRecord, date: string): boolean | null {
  const bound = Date.parse(date);
  if (Number.isNaN(bound)) return null;
  return Math.floor(Date.parse(record.lastModified) / 1000) * 1000 > bound;
}

/**
 * The four conditions of a read, or of a copy's source (with `prefix`).
 * @throws S3Error PreconditionFailed, NotModified (a copy knows only the former)
 */
export function checkRead(headers: Headers, record: ObjectRecord, prefix = ''): void {
  const unchanged = () => (prefix === '' ? new S3Error('NotModified', 'Not Modified') : failed());
  const [match, noneMatch, unmodifiedSince, modifiedSince] = [
    'if-match',
    'if-none-match',
    'if-unmodified-since',
    'if-modified-since',
  ].map((name) => headers[`${prefix}${name}`]);
  // An entity tag outranks the date of its pair.
  if (match !== undefined) {
    if (!names(match, record.etag)) throw failed();
  } else if (unmodifiedSince !== undefined && isModifiedAfter(record, unmodifiedSince) === true)
    throw failed();
  if (noneMatch !== undefined) {
    if (names(noneMatch, record.etag)) throw unchanged();
  } else if (modifiedSince !== undefined && isModifiedAfter(record, modifiedSince) === false)
    throw unchanged();
}

/** The conditions of a write, over what is there now. @throws S3Error PreconditionFailed, NoSuchKey */
export function checkWrite(headers: Headers, present: ObjectRecord | undefined): void {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']];
  if (match !== undefined) {
    if (present === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
    if (!names(match, present.etag)) throw failed();
  }
  if (noneMatch !== undefined && present !== undefined && names(noneMatch, present.etag)) throw failed();
}

/**
 * The bytes asked for, first and last inclusive; null: all of them (no range, several ranges, or one that is not ours
 * to understand, which HTTP says to ignore).
 * @throws S3Error InvalidRange when the object has none of the bytes
 */
export function requestedRange(
  headers: Headers,
  record: ObjectRecord,
): { first: number; last: number } | null {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(headers['range'] ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  const condition = headers['if-range'];
  if (condition !== undefined && !isStillThat(condition, record)) return null;
  const first = from === '' ? Math.max(0, record.size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? record.size - 1 : Math.min(Number(to), record.size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  if (first > last) throw new S3Error('InvalidRange', 'The requested range is not satisfiable');
  return { first, last };
}

function isStillThat(condition: string, record: ObjectRecord): boolean {
  return condition.startsWith('"')
    ? names(condition, record.etag)
    : isModifiedAfter(record, condition) === false;
}
