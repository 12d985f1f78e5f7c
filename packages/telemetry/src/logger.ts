import { pino, type Logger as PinoLogger } from 'pino';
import { traceIds } from './tracing.ts';

export type Logger = PinoLogger;

/**
 * The one logger (docs/architecture.md#layout). Lines are JSON with ids only: keys, answers, names and texts are never passed
 * to it, and the paths below are a second net under that rule. A line that is written inside a trace says in which.
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

/** PostgreSQL quotes a value that it cannot take (SQLSTATE class 22), and the value may be a client's. */
const isAboutValue = (error: Error): error is Error & { code: string } =>
  'severity' in error && 'code' in error && /^22[0-9A-Z]{3}$/.test(String(error.code));

/** The class, message and stack of an error and its causes; never what a request or a row carried. */
const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        type: error.name,
        message: isAboutValue(error) ? `SQLSTATE ${error.code}` : error.message,
        ...('code' in error ? { code: error.code } : {}),
        ...(error instanceof AggregateError ? { first: describeError(error.errors[0]) } : {}),
        stack: isAboutValue(error) ? error.stack?.replace(error.message, error.code) : error.stack,
        ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
      }
    : { type: typeof error };
