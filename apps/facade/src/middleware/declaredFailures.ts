import type { Request } from 'express';
import { everyRoute, failuresOf } from '@evaluation/rest-contract';
import type { Failure } from '@evaluation/rest-contract/errors';
import { methodOf, routeOf } from './routeMetadata.ts';

const declared = new Map(
  everyRoute().map((named) => [`${named.route.method} ${named.route.path}`, failuresOf(named)]),
);

/**
 * Whether the contract lists this failure for the route of the request; true for a path outside the contract. The
 * documentation of each endpoint is generated from these lists. With `VALIDATE_RESPONSES`, used in tests, an unlisted
 * failure is answered with 500.
 */
export const isDeclared = (request: Request, { code }: Failure): boolean =>
  declared.get(`${methodOf(request)} ${routeOf(request)}`)?.has(code) ?? true;
