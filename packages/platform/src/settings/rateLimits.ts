import * as z from 'zod/v4';

/** One cell of docs/api/limits.md#rate-limits; `seconds` is the window. */
export interface RateLimit {
  of: 'key' | 'institute';
  kind: 'reads' | 'writes' | 'upload_files';
  seconds: 1 | 60;
  limit: number;
}

/** Lower limits are refused: a call may name 100 files (docs/api/limits.md#sizes) and would never be allowed. */
const LEAST: Readonly<Record<RateLimit['kind'], number>> = { reads: 1, writes: 1, upload_files: 100 };
const MOST = 1_000_000_000;

const CELL = /^(key|institute):(reads|writes|upload_files):(second|minute)=(\d{1,10})$/;

const parse = (cell: string): RateLimit | string => {
  const [, of, kind, window, digits] = CELL.exec(cell) ?? [];
  if (
    (of !== 'key' && of !== 'institute') ||
    (kind !== 'reads' && kind !== 'writes' && kind !== 'upload_files')
  )
    return `"${cell}" is not of the form key:reads:minute=600`;
  const limit = Number(digits);
  if (limit < LEAST[kind] || limit > MOST) return `"${cell}": ${LEAST[kind]} to ${MOST}`;
  return { of, kind, seconds: window === 'second' ? 1 : 60, limit };
};

/** Limits of one tier, e.g. `key:reads:minute=600,institute:reads:second=40`; `none` for no limits. */
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
