import { ContractNoBody, type AppRoute } from '@ts-rest/core';
import * as z from 'zod/v4';
import type { ErrorCode } from './errors.ts';
import { happensOnce, type RouteMetadata } from './routes/contract.ts';

const OF_EVERY_CALL: readonly ErrorCode[] = ['rate_limited', 'internal_error', 'service_unavailable'];

/**
 * Error codes that follow from the kind of a route: with a key, a scope, a body, an `Idempotency-Key` or a cursor.
 * Other codes of the route are in its metadata (`failures`).
 */
export const failuresOfKind = (route: AppRoute, metadata: RouteMetadata): ErrorCode[] => {
  const codes = [...OF_EVERY_CALL];
  if (metadata.scope !== 'public') codes.push('invalid_api_key', 'product_not_enabled');
  if (metadata.scope !== 'public' && metadata.scope !== null) codes.push('insufficient_scope');
  if (takesBody(route)) codes.push('malformed_json', 'unsupported_media_type');
  if (takesCursor(route)) codes.push('invalid_cursor');
  if (happensOnce(metadata, route.method))
    codes.push('request_in_progress', 'idempotency_key_reused', 'validation_failed');
  return codes;
};

const takesBody = (route: AppRoute): boolean => 'body' in route && route.body !== ContractNoBody;

const takesCursor = ({ query }: AppRoute): boolean => query instanceof z.ZodObject && 'cursor' in query.shape;
