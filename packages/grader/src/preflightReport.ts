/** What a preflight asks and finds (preflight.ts). Types only. */

export type PreflightCheck = 'endpoint' | 'schema' | 'vision' | 'context';

/**
 * Why a check failed. `unreachable`, `too_slow`, `throttled` and `refused` (by key, account, model or address) may pass by
 * themselves or be mended at the endpoint at any time; the others last until model or server are changed.
 */
export type PreflightReason =
  | 'unreachable'
  | 'too_slow'
  | 'throttled'
  | 'refused'
  | 'request_refused'
  | 'schema_not_kept'
  | 'pictures_refused'
  | 'blind'
  | 'context_refused'
  | 'context_cut'
  | 'too_weak';

export interface PreflightStep {
  check: PreflightCheck;
  /** `unknown`: the call ended without an answer to the question, and the check does not hold up runs for it. */
  outcome: 'passed' | 'failed' | 'unknown';
  reason: PreflightReason | null;
  /** Numbers behind the outcome, for the log; never the endpoint's own words. */
  detail: Record<string, number>;
}

export interface PreflightReport {
  /** In the order asked; [] where there is no endpoint to ask (baseline). */
  steps: PreflightStep[];
  /** The one that failed; null: runs may begin. */
  failed: (PreflightStep & { reason: PreflightReason }) | null;
}

export interface PreflightRequest {
  /** Whether pages are to be read. */
  vision: boolean;
  /** How long the text is of which beginning and end must come back, in characters. */
  contextCharacters: number;
}
