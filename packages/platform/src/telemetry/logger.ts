import { pino, type Logger as PinoLogger } from 'pino';
import { traceIds } from './tracing.ts';

export type Logger = PinoLogger;

/**
 * Creates the logger (docs/architecture.md#layout). Lines are JSON and contain ids only. Callers must not pass keys,
 * answers, names or texts; the paths below redact them as a second safeguard. Inside a trace a line has trace_id and
 * span_id.
 */
export const createLogger = (options: {
  service: string;
  level: string;
  stream?: NodeJS.WritableStream;
}): Logger =>
  pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceIds,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          '*.authorization',
          '*["x-api-key"]',
          'authorization',
          '["x-api-key"]',
          '*.api_key',
          'api_key',
          '*.text',
          '*.answers',
        ],
        censor: '[redacted]',
      },
      serializers: { err: describeError },
    },
    options.stream ?? process.stderr,
  );

/**
 * The message of an error. PostgreSQL's errors of class 22 (invalid value) quote the value, possibly one of a client.
 * Prisma's errors quote PostgreSQL's, or the arguments of a call. Codes stand in place of these messages.
 */
const messageOf = (error: Error): string => {
  const code = 'code' in error ? String(error.code) : '';
  if ('severity' in error && /^22[0-9A-Z]{3}$/.test(code)) return `SQLSTATE ${code}`;
  if (!/^(?:PrismaClient(?!Initialization)|DriverAdapterError)/.test(error.name)) return error.message;
  const [, state = ''] = /\bCode: `?([0-9A-Z]{5})\b/.exec(error.message) ?? [];
  return [code, state === '' ? '' : `SQLSTATE ${state}`].filter((part) => part !== '').join(' ') || 'masked';
};

/** Class, message and stack of an error and its causes, without the data of requests and rows. */
const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        type: error.name,
        message: messageOf(error),
        ...('code' in error ? { code: error.code } : {}),
        ...(error instanceof AggregateError ? { first: describeError(error.errors[0]) } : {}),
        stack: error.stack?.replace(error.message, () => messageOf(error)),
        ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
      }
    : { type: typeof error };
