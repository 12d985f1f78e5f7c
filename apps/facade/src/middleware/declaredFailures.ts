import type { Request } from 'express';
import { everyRoute, failuresOf } from '@evaluation/rest-contract';
import type { Failure } from '@evaluation/rest-contract/errors';
import { methodOf, routeOf } from './routeMetadata.ts';

const declared = new Map(
  everyRoute().map((named) => [`${named.route.method} ${named.route.path}`, failuresOf(named)]),
);

/**
 * Whether the contract lists this failure for the route of the request. The documentation of each endpoint is made from
 * these lists, and tests run with `VALIDATE_RESPONSES`, which turns an unlisted failure into a 500. A path that the
 * contract does not have lists none, and anything may be answered there.
 */
export const isDeclared = (request: Request, { code }: Failure): boolean =>
  declared.get(`${methodOf(request)} ${routeOf(request)}`)?.has(code) ?? true;
