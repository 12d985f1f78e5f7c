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

/** True for SQLSTATE class 22 (invalid value), whose message quotes the value, possibly one of a client. */
const isAboutValue = (error: Error): error is Error & { code: string } =>
  'severity' in error && 'code' in error && /^22[0-9A-Z]{3}$/.test(String(error.code));

/** Class, message and stack of an error and its causes, without the data of requests and rows. */
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
