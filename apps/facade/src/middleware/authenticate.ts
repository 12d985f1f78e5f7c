import type { RequestHandler, Response } from 'express';
import type { Actor, CoreAccess, CoreClient } from '@evaluation/core-client';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { idempotentOf } from './idempotency.ts';
import type { AuthenticatedKey, KnownKeys } from './knownKeys.ts';
import { requestIdOf } from '@evaluation/platform/http';
import { metadataOf } from './routeMetadata.ts';

/**
 * Checks the API key of a request, then product and scope of the route (docs/api/me.md#authentication). Expiry is
 * compared on each request, also for a cached key.
 */
export const authenticate =
  (keys: KnownKeys): RequestHandler =>
  async (request, response, next) => {
    const { scope } = metadataOf(request);
    if (scope === 'public') {
      next();
      return;
    }
    const apiKey = request.get('x-api-key');
    const key =
      apiKey === undefined ? null : await keys.find(apiKey, requestIdOf(response), request.ip ?? '');
    if (key !== null && 'retryAfterSeconds' in key) {
      response.setHeader('Retry-After', String(key.retryAfterSeconds));
      throw new DomainFailure('rate_limited');
    }
    if (key === null || (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now())) {
      throw new DomainFailure('invalid_api_key');
    }
    if (!key.api_enabled) throw new DomainFailure('product_not_enabled');
    if (scope !== null && !key.scopes.includes(scope)) {
      throw new DomainFailure('insufficient_scope', { details: { required_scope: scope } });
    }
    response.locals['actor'] = actorOf(key);
    response.locals['key'] = key;
    next();
  };

const actors = new WeakMap<AuthenticatedKey, Actor>();

/** The same object for all requests with a cached key, so that it is signed once (see `actorSigner`). */
const actorOf = (key: AuthenticatedKey): Actor => {
  let actor = actors.get(key);
  if (actor === undefined) {
    actor = { institute_id: key.institute_id, key_id: key.key_id, scopes: key.scopes };
    actors.set(key, actor);
  }
  return actor;
};

export const keyOf = (response: Response): AuthenticatedKey | undefined => response.locals['key'];

export const coreFor = (core: CoreAccess, response: Response): CoreClient['public'] => {
  const actor: Actor | undefined = response.locals['actor'];
  const idempotent = idempotentOf(response);
  return core.as({
    ...(actor === undefined ? {} : { actor }),
    ...(idempotent === undefined ? {} : { idempotent }),
    requestId: requestIdOf(response),
  }).public;
};
