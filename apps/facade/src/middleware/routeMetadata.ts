import type { Request } from 'express';
import type { RouteMetadata } from '@evaluation/rest-contract';

/** ts-rest hangs the contract's route on the request before any middleware of the route runs. */
export const metadataOf = (request: Request): RouteMetadata => {
  const route: unknown = Reflect.get(request, 'tsRestRoute');
  const metadata: unknown =
    typeof route === 'object' && route !== null ? Reflect.get(route, 'metadata') : undefined;
  if (!isRouteMetadata(metadata)) throw new Error('a route of the contract has no metadata');
  return metadata;
};

const isRouteMetadata = (value: unknown): value is RouteMetadata =>
  typeof value === 'object' && value !== null && 'scope' in value && 'failures' in value;
