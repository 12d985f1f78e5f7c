import pg from 'pg';

/** PostgreSQL's cannot_connect_now: it starts up, shuts down, or recovers. */
const CANNOT_CONNECT_NOW = '57P03';
/** What the network says of a server that is not there, or not yet; a name comes with its Service or its container. */
const NOT_THERE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** PostgreSQL's SQLSTATE, or the network's own name for what happened; undefined where there is neither. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether there is nobody to ask, which may change by itself; a wrong password or address of a database does not. */
export const isUnavailable = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code !== undefined) return code === CANNOT_CONNECT_NOW || NOT_THERE.has(code);
  // The driver's own, without a code: it gave up waiting, or whoever answered hung up, as a proxy with no server does.
  return (
    error instanceof Error &&
    !(error instanceof pg.DatabaseError) &&
    /timeout|connection terminated/i.test(error.message)
  );
};
