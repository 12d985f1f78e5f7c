import pg from 'pg';

/** PostgreSQL's cannot_connect_now: the server starts, stops or recovers. */
const CANNOT_CONNECT_NOW = '57P03';
/** Network errors of a server that is not there yet. A name may resolve only after its Service or container exists. */
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

/** SQLSTATE of PostgreSQL or error code of Node; undefined when the error has neither. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** True when the server cannot be reached, which may pass. A wrong password or database name is not such an error. */
export const isUnavailable = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code !== undefined) return code === CANNOT_CONNECT_NOW || NOT_THERE.has(code);
  // Errors of the driver without a code: a timeout, or a connection closed by a proxy without a server.
  return (
    error instanceof Error &&
    !(error instanceof pg.DatabaseError) &&
    /timeout|connection terminated/i.test(error.message)
  );
};
