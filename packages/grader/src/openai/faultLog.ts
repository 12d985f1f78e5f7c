/**
 * Logs faults of the endpoint: each message at most once a minute, with the endpoint's origin, the status, and a code
 * or number as reason. Text of the endpoint is left out, because it may repeat keys and prompts.
 *
 * State: the time of each message's last log line; it ends with the process.
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
/** Faults that an operator has to mend; all others are warnings. */
const ERRORS = new Set<string>([REFUSES_US, ...Object.values(LOSES)]);

export const createFaultLog = (
  about: { model: string; lane: string; origin: string },
  log: GraderLog,
): FaultLog => {
  const loggedAt = new Map<string, number>();

  function logOnceAMinute(message: string, fields: object): void {
    const now = performance.now();
    if (now - (loggedAt.get(message) ?? -Infinity) < MINUTE_MS) return;
    loggedAt.set(message, now);
    log[ERRORS.has(message) ? 'error' : 'warn']({ ...about, ...fields }, message);
  }

  return {
    callFailed: (error, call) => logOnceAMinute(messageFor(error), { call, ...factsOf(error) }),
    allRefused: (error) => logOnceAMinute(REFUSES_US, factsOf(error)),
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

const messageFor = (error: unknown): string => {
  if (statusThatRefusesUs(error) !== null) return REFUSES_US;
  if (error instanceof LostMaterial) return LOSES[error.what];
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
