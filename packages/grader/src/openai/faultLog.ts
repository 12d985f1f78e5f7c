/**
 * Logs faults of the endpoint: each kind at most once a minute, with the endpoint's origin, the status, and a code or
 * number as reason. Text of the endpoint is left out, because it may repeat keys and prompts.
 *
 * State: the time of each kind's last log line and the number of faults since; it ends with the process.
 */
import { APIConnectionError, APIError } from 'openai';
import type { GraderLog } from '../grader.ts';
import { CutOff, MalformedOutput } from '../strictSchema.ts';
import {
  isOfThisRequest,
  isUnreachable,
  LostMaterial,
  NoModelOutput,
  numbersIn,
  reasonIn,
  statusThatRefusesRequest,
  statusThatRefusesUs,
  throttledFor,
  TimedOut,
} from './failures.ts';

export interface FaultLog {
  /** A call failed. @param call name of its schema */
  callFailed(error: unknown, call: string): void;
  /** The endpoint refuses the requests of several runs and answers no other. */
  allRefused(error: unknown): void;
}

const MINUTE_MS = 60_000;
const REFUSES_US = 'the model endpoint refuses this service: check its key, account, model and address';
const LOSES = {
  pictures:
    'the model endpoint counts fewer tokens than were sent: it drops pictures, and its reply is not used',
  text: 'the model endpoint counts fewer tokens than were sent: it cuts prompts, and its reply is not used',
} as const;

export const createFaultLog = (
  about: { model: string; lane: string; origin: string },
  log: GraderLog,
): FaultLog => {
  const lastLines = new Map<string, { at: number; suppressed: number }>();

  function logOnceAMinute(level: 'error' | 'warn', message: string, fields: object): void {
    const key = `${message} ${'status' in fields ? String(fields.status) : ''}`;
    const before = lastLines.get(key);
    const now = performance.now();
    if (before !== undefined && now - before.at < MINUTE_MS) {
      before.suppressed += 1;
      return;
    }
    lastLines.set(key, { at: now, suppressed: 0 });
    const repeats =
      before === undefined || before.suppressed === 0 ? {} : { times_since: before.suppressed + 1 };
    log[level]({ ...about, ...fields, ...repeats }, message);
  }

  return {
    callFailed(error, call) {
      const { level, message } = lineFor(error);
      logOnceAMinute(level, message, { call, ...factsOf(error) });
    },
    allRefused: (error) => logOnceAMinute('error', REFUSES_US, factsOf(error)),
  };
};

/** Codes and numbers of a failure that may be logged. */
interface Facts {
  status?: number | undefined;
  reason?: string | undefined;
  n_ctx?: number | undefined;
  n_prompt_tokens?: number | undefined;
  output_tokens?: number | undefined;
  what?: string | undefined;
  tokens?: number | undefined;
}

export const factsOf = (error: unknown): Facts => {
  const reason = reasonIn(error);
  return {
    ...(error instanceof APIError && typeof error.status === 'number' ? { status: error.status } : {}),
    ...(reason === null ? {} : { reason }),
    ...numbersIn(error),
    ...(error instanceof CutOff && error.outputTokens !== null ? { output_tokens: error.outputTokens } : {}),
    ...(error instanceof LostMaterial ? { what: error.what, tokens: error.tokens } : {}),
  };
};

const lineFor = (error: unknown): { level: 'error' | 'warn'; message: string } => {
  if (statusThatRefusesUs(error) !== null) return { level: 'error', message: REFUSES_US };
  if (error instanceof LostMaterial) return { level: 'error', message: LOSES[error.what] };
  return { level: 'warn', message: warningFor(error) };
};

const warningFor = (error: unknown): string => {
  if (error instanceof CutOff) {
    return 'a reply was cut off: its model does not stop, or the endpoint allows too few tokens for a reply';
  }
  if (error instanceof MalformedOutput) return 'the model answered outside its schema';
  if (error instanceof TimedOut) return 'the model did not answer in time';
  if (error instanceof NoModelOutput) return 'the model endpoint answered without a model';
  if (throttledFor(error) !== null) return 'the model endpoint has too much to do';
  if (statusThatRefusesRequest(error) !== null) {
    return isOfThisRequest(error)
      ? 'the model endpoint refuses a request for its length or content'
      : 'the model endpoint refuses a request';
  }
  if (error instanceof APIConnectionError) return 'the model endpoint cannot be reached';
  return isUnreachable(error) ? 'the model endpoint failed' : 'a model call failed in an unknown way';
};
