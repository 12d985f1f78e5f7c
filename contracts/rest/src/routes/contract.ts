import { initContract } from '@ts-rest/core';
import { ErrorEnvelope, type ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/account.ts';

export const c = initContract();

/** What any call may answer besides its own statuses; each is the one error envelope. */
export const failures = {
  400: ErrorEnvelope,
  401: ErrorEnvelope,
  402: ErrorEnvelope,
  403: ErrorEnvelope,
  404: ErrorEnvelope,
  409: ErrorEnvelope,
  412: ErrorEnvelope,
  415: ErrorEnvelope,
  422: ErrorEnvelope,
  429: ErrorEnvelope,
  500: ErrorEnvelope,
  503: ErrorEnvelope,
} as const;

/**
 * What the facade and openapi.json need to know of a route besides its schemas.
 * `scope`: what the key must hold; null means any valid key; 'public' means no key at all (docs/api/me.md#authentication).
 * `failures`: the error codes, beyond those of every call of its kind (`callFailures.ts`), that this route can answer.
 * `provisional`: the open points it rests on.
 */
export interface RouteMetadata {
  scope: Scope | null | 'public';
  failures: readonly ErrorCode[];
  provisional?: readonly string[];
  /** Bodies are small (1 MB) unless the API lets them hold a whole paper, thousands of candidates or all answers. */
  body?: 'large';
  /** Each entry of the body's `files` counts against the limit of upload files (docs/api/limits.md#rate-limits). */
  countsFiles?: true;
}

/**
 * Whether a route takes an `Idempotency-Key`: every POST that creates or changes something (docs/api/conventions.md#idempotency). A POST that a
 * key with the read scope may call only looks things up.
 */
export const happensOnce = ({ scope }: Pick<RouteMetadata, 'scope'>, method: string): boolean =>
  method === 'POST' && scope !== 'evaluation:read';

/** What a request counts as (docs/api/limits.md#rate-limits). A POST that a key with the read scope may call only looks things up. */
export const rateKind = ({ scope }: Pick<RouteMetadata, 'scope'>, method: string): 'reads' | 'writes' =>
  method === 'GET' || (method === 'POST' && scope === 'evaluation:read') ? 'reads' : 'writes';

export const about = <M extends RouteMetadata>(metadata: M): M => metadata;
