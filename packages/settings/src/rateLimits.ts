import * as z from 'zod/v4';

/** One cell of docs/api/limits.md#rate-limits: how many of a kind, of one key or of one institute, in a window of so many seconds. */
export interface RateLimit {
  of: 'key' | 'institute';
  kind: 'reads' | 'writes' | 'upload_files';
  seconds: 1 | 60;
  limit: number;
}

/** A call may name 100 files (docs/api/limits.md#sizes): a lower limit would refuse some for ever. */
const LEAST: Readonly<Record<RateLimit['kind'], number>> = { reads: 1, writes: 1, upload_files: 100 };
/** Beyond this a limit is none. */
const MOST = 1_000_000_000;

const CELL = /^(key|institute):(reads|writes|upload_files):(second|minute)=(\d{1,10})$/;

const parse = (cell: string): RateLimit | string => {
  const [, of, kind, window, digits] = CELL.exec(cell) ?? [];
  if (
    (of !== 'key' && of !== 'institute') ||
    (kind !== 'reads' && kind !== 'writes' && kind !== 'upload_files')
  )
    return `"${cell}" is not like key:reads:minute=600`;
  const limit = Number(digits);
  if (limit < LEAST[kind] || limit > MOST) return `"${cell}": ${LEAST[kind]} to ${MOST}`;
  return { of, kind, seconds: window === 'second' ? 1 : 60, limit };
};

/**
 * The limits of one tier as a list: `key:reads:minute=600,institute:reads:second=40`. What is not in it is not enforced;
 * `none` enforces nothing.
 */
export const rateLimits = z.string().transform((text, context): readonly RateLimit[] => {
  if (text.trim() === 'none') return [];
  const limits: RateLimit[] = [];
  for (const cell of text.split(',')) {
    const parsed = parse(cell.trim());
    if (typeof parsed === 'string') context.addIssue(parsed);
    else if (limits.some((one) => cellOf(one) === cellOf(parsed)))
      context.addIssue(`${cellOf(parsed)} stands twice`);
    else limits.push(parsed);
  }
  return limits;
});

const cellOf = ({ of, kind, seconds }: RateLimit): string =>
  `${of}:${kind}:${seconds === 1 ? 'second' : 'minute'}`;
