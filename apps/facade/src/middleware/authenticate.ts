import { createHash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Actor, CoreAccess, CoreClient } from '@evaluation/core-client';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { requestIdOf } from './requestId.ts';
import { metadataOf } from './routeMetadata.ts';

/*
 * API keys (spec chapter 5, design 3.14). A key that was found is remembered for at most 30 seconds, so a revocation
 * takes effect within a minute; a key that was not found is never remembered. Expiry is compared on each request.
 * Only the hash of a key is kept, here as everywhere.
 */

type AuthenticatedKey = NonNullable<Awaited<ReturnType<CoreClient['public']['authenticate']['query']>>>;

const MAX_REMEMBERED = 10_000;
const MAX_KEY_LENGTH = 256;

/** Checks the key of every request, then what the route asks of it: key → product → scope. */
export const authenticate = (core: CoreAccess, cacheSeconds: number): RequestHandler => {
  const remembered = new Map<string, { key: AuthenticatedKey; until: number }>();

  const find = async (apiKey: string, requestId: string): Promise<AuthenticatedKey | null> => {
    const hash = createHash('sha256').update(apiKey).digest('hex');
    const hit = remembered.get(hash);
    if (hit !== undefined && hit.until > Date.now()) return hit.key;
    remembered.delete(hash);
    const key = await core.as({ requestId }).public.authenticate.query({ hash });
    if (key === null) return null;
    // Oldest first out: a Map keeps the order of insertion.
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    if (cacheSeconds > 0) remembered.set(hash, { key, until: Date.now() + cacheSeconds * 1000 });
    return key;
  };

  return async (request, response, next) => {
    const { scope } = metadataOf(request);
    if (scope === 'public') {
      next();
      return;
    }
    const apiKey = request.get('x-api-key');
    const key =
      apiKey === undefined || apiKey.length > MAX_KEY_LENGTH
        ? null
        : await find(apiKey, requestIdOf(response));
    if (key === null || (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now())) {
      throw new DomainFailure('invalid_api_key');
    }
    if (!key.api_enabled) throw new DomainFailure('product_not_enabled');
    if (scope !== null && !key.scopes.includes(scope)) {
      throw new DomainFailure('insufficient_scope', { details: { required_scope: scope } });
    }
    const actor: Actor = { institute_id: key.institute_id, key_id: key.key_id, scopes: key.scopes };
    response.locals['actor'] = actor;
    next();
  };
};

/** Core's client for the actor of this request. */
export const coreFor = (core: CoreAccess, response: Response): CoreClient['public'] => {
  const actor: Actor | undefined = response.locals['actor'];
  return core.as({ ...(actor === undefined ? {} : { actor }), requestId: requestIdOf(response) }).public;
};
