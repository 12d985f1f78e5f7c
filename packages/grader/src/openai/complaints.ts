import { createLogger, type Logger } from '@evaluation/telemetry';

/** What whoever runs the service has to know of the endpoint and can mend; never a word that the endpoint said. */
export interface Complaints {
  /** It refuses us, whatever is asked: the key, the account, the model's name or the address. */
  refusesUs(status: number): void;
  /** It refuses to look at a request. */
  refusesRequest(status: number): void;
  /** It read much less than was sent. */
  cutsPrompts(): void;
}

const MINUTE_MS = 60_000;

/** State: when each was last said; each is said once a minute at most, and of cut prompts once. */
export function createComplaints(
  about: { model: string; lane: string },
  log: Pick<Logger, 'error' | 'warn'> = createLogger({ service: 'grader', level: 'warn' }),
): Complaints {
  const saidAt = new Map<string, number>();
  const isDue = (what: string, everyMs: number): boolean => {
    const now = performance.now();
    if (now - (saidAt.get(what) ?? -Infinity) < everyMs) return false;
    saidAt.set(what, now);
    return true;
  };
  return {
    refusesUs(status) {
      if (!isDue(`us ${status}`, MINUTE_MS)) return;
      log.error(
        { ...about, status },
        'the model endpoint refuses us: look at its key, account, model and address',
      );
    },
    refusesRequest(status) {
      if (!isDue(`request ${status}`, MINUTE_MS)) return;
      log.warn({ ...about, status }, 'the model endpoint refuses a request');
    },
    cutsPrompts() {
      if (!isDue('cut', Infinity)) return;
      log.warn(
        about,
        'the model endpoint counts far fewer tokens than were sent: its context may be too short',
      );
    },
  };
}
