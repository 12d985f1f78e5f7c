/** Request and report of a preflight (preflight.ts). Types only. */

export type PreflightCheck = 'endpoint' | 'schema' | 'vision' | 'context';

/** `unreachable`, `too_slow`, `throttled` and `refused` may pass; the others need another model or server. */
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
  /** `unknown`: the call ended without an answer; runs are not held back for it. */
  outcome: 'passed' | 'failed' | 'unknown';
  reason: PreflightReason | null;
  /** Numbers for the log; no text of the endpoint. */
  detail: Record<string, number>;
}

export interface PreflightReport {
  /** In the order of the checks; [] without an endpoint (baseline). */
  steps: PreflightStep[];
  /** The failed step; null: runs may begin. */
  failed: (PreflightStep & { reason: PreflightReason }) | null;
}

export interface PreflightRequest {
  vision: boolean;
  /** Length of the text whose beginning and end must come back, in characters. */
  contextCharacters: number;
}
