import type { Request } from 'express';
import type { RouteMetadata } from '@evaluation/rest-contract';

/** Metadata of the request's route. ts-rest sets `tsRestRoute` before the middleware of the route runs. */
export const metadataOf = (request: Request): RouteMetadata => {
  const route: unknown = Reflect.get(request, 'tsRestRoute');
  const metadata: unknown =
    typeof route === 'object' && route !== null ? Reflect.get(route, 'metadata') : undefined;
  if (!isRouteMetadata(metadata)) throw new Error('a route of the contract has no metadata');
  return metadata;
};

/** Method in the contract: a HEAD request runs the GET route. */
export const methodOf = (request: Request): string => {
  const route: unknown = Reflect.get(request, 'tsRestRoute');
  const method: unknown =
    typeof route === 'object' && route !== null ? Reflect.get(route, 'method') : undefined;
  return typeof method === 'string' ? method : request.method;
};

export const successStatusOf = (request: Request): (typeof SUCCESSES)[number] => {
  const route: unknown = Reflect.get(request, 'tsRestRoute');
  const responses: unknown =
    typeof route === 'object' && route !== null ? Reflect.get(route, 'responses') : undefined;
  const status = SUCCESSES.find((code) => Object.hasOwn(Object(responses), code));
  if (status === undefined) throw new Error('a route of the contract has no success');
  return status;
};

const SUCCESSES = [200, 201, 202] as const;

/** Path as in the contract, such as `/exams/:examId`, for logs: it contains no client data. */
export const routeOf = (request: Request): string | undefined => {
  const route: unknown = Reflect.get(request, 'tsRestRoute');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : undefined;
};

const isRouteMetadata = (value: unknown): value is RouteMetadata =>
  typeof value === 'object' && value !== null && 'scope' in value && 'failures' in value;
