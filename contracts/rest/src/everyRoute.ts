import type { AppRoute } from '@ts-rest/core';
import { failuresOfKind } from './callFailures.ts';
import type { ErrorCode } from './errors.ts';
import { contract } from './routes/index.ts';
import type { RouteMetadata } from './routes/contract.ts';

export interface NamedRoute {
  operation: string;
  route: AppRoute;
  metadata: RouteMetadata;
}

export const everyRoute = (): NamedRoute[] =>
  Object.entries(contract).flatMap(([group, routes]) =>
    Object.entries(routes).map(([name, route]) => ({
      operation: `${group}.${name}`,
      route,
      metadata: route.metadata,
    })),
  );

export const failuresOf = ({ route, metadata }: NamedRoute): Set<ErrorCode> =>
  new Set([...failuresOfKind(route, metadata), ...metadata.failures]);
