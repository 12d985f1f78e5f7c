import { initContract } from '@ts-rest/core';
import * as z from 'zod/v4';
import { ErrorEnvelope, type ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/account.ts';
import { givenId } from '../schemas/primitives.ts';

export const c = initContract();

/** Error statuses of every call; each has the error envelope as body. */
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
 * Metadata of a route for the facade and openapi.json.
 * `scope`: scope that the key needs; null: any valid key; 'public': no key (docs/api/me.md#authentication).
 * `failures`: error codes of this route in addition to those of its kind (`callFailures.ts`).
 * `provisional`: open points that the route depends on.
 */
export interface RouteMetadata {
  scope: Scope | null | 'public';
  failures: readonly ErrorCode[];
  provisional?: readonly string[];
  /** Bodies are limited to 1 MB unless `large`: a whole paper, thousands of candidates, or all answers. */
  body?: 'large';
  /** Each entry of the body's `files` counts against the limit of upload files (docs/api/limits.md#rate-limits). */
  countsFiles?: true;
}

/**
 * Whether a route takes an `Idempotency-Key`: every POST that creates or changes something
 * (docs/api/conventions.md#idempotency). A POST with the read scope is a query.
 */
export const happensOnce = ({ scope }: Pick<RouteMetadata, 'scope'>, method: string): boolean =>
  method === 'POST' && scope !== 'evaluation:read';

/** Kind of a request for rate limits (docs/api/limits.md#rate-limits). A POST with the read scope is a query. */
export const rateKind = ({ scope }: Pick<RouteMetadata, 'scope'>, method: string): 'reads' | 'writes' =>
  method === 'GET' || (method === 'POST' && scope === 'evaluation:read') ? 'reads' : 'writes';

export const about = <M extends RouteMetadata>(metadata: M): M => metadata;

export const ofExam = z.object({ examId: givenId });

/** Open points of a route that returns exams. */
export const EXAM_POINTS = ['submission-warnings', 'typed-quote'] as const;

/** Open points of a route that returns submissions. */
export const SUBMISSION_POINTS = [...EXAM_POINTS, 'progress-step'] as const;

/** Failures of a route that takes rubrics. */
export const RUBRIC_RULES = [
  'rubric_marks_mismatch',
  'rubric_duplicate_criterion',
  'rubric_guidance_has_marks',
] as const;
