import type { Request, RequestHandler, Response } from 'express';
import { rateKind } from '@evaluation/rest-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { FacadeSettings } from '@evaluation/platform/settings';
import { demandsOf, type Caller } from '../rateLimits/demands.ts';
import type { CountedDemand, RateLimitStatus } from '../rateLimits/decision.ts';
import type { RateLimits } from '../rateLimits/rateLimits.ts';
import { keyOf } from './authenticate.ts';
import { metadataOf, methodOf } from './routeMetadata.ts';

/*
 * Rate limits of a request; checked after key, product and scope, and before the body is read.
 *
 * A request that presigns files is counted in two steps, because the number of files is known only after the body. The
 * write is counted first, then the files. If the files are refused, the write is released; if core presigns no file,
 * the files are released.
 */

/** Maximum number of files of a call (docs/api/limits.md#sizes). Core refuses a call with more and presigns none. */
const MOST_FILES = 100;

interface RateLimiting {
  request: RequestHandler;
  files: RequestHandler;
}

export const rateLimiting = (limits: RateLimits, settings: FacadeSettings['rateLimits']): RateLimiting => {
  const demands = demandsOf(settings);

  return {
    request: async (request, response, next) => {
      const caller = callerOf(response);
      if (caller === null) {
        next();
        return;
      }
      const metadata = metadataOf(request);
      const decision = await limits.admit(demands(caller, rateKind(metadata, methodOf(request)), 1));
      if (decision.kind === 'refused') refuse(response, decision.by);
      if (decision.tightest !== null) setRateLimitHeaders(response, decision.tightest);
      if (metadata.countsFiles === true) {
        const counted: Counted = { request: decision.places, files: [], limits };
        response.locals['counted'] = counted;
        response.once('close', () => {
          // If the client disconnected before the answer, the files stay counted: core may still presign them.
          if (response.writableFinished) void limits.release(counted.files);
        });
      }
      next();
    },

    files: async (request, response, next) => {
      const counted = countedOf(response);
      const caller = callerOf(response);
      const count = filesIn(request);
      if (counted === undefined || caller === null || count === 0) {
        next();
        return;
      }
      const decision = await limits.admit(demands(caller, 'upload_files', count));
      if (decision.kind === 'refused') {
        await limits.release(counted.request);
        refuse(response, decision.by);
      }
      // The client disconnected, so core will presign no file.
      if (response.closed) await limits.release(decision.places);
      else counted.files = decision.places;
      next();
    },
  };
};

/** Where a request that presigns files is counted; `files` are released unless core presigns them. */
interface Counted {
  request: readonly CountedDemand[];
  files: readonly CountedDemand[];
  limits: RateLimits;
}

/** Keeps the files of a request counted after core has presigned them, and updates the RateLimit headers. */
export const keepFilesCounted = (response: Response): void => {
  const counted = countedOf(response);
  if (counted === undefined) return;
  const tightest = counted.limits.tightest([...counted.request, ...counted.files]);
  if (tightest !== null) setRateLimitHeaders(response, tightest);
  counted.files = [];
};

const countedOf = (response: Response): Counted | undefined => response.locals['counted'];

const callerOf = (response: Response): Caller | null => {
  const key = keyOf(response);
  return key === undefined ? null : { keyId: key.key_id, instituteId: key.institute_id, tier: key.rate_tier };
};

const filesIn = (request: Request): number => {
  const body: unknown = request.body;
  const files: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'files') : undefined;
  return Array.isArray(files) && files.length <= MOST_FILES ? files.length : 0;
};

function refuse(response: Response, by: RateLimitStatus): never {
  setRateLimitHeaders(response, by);
  response.setHeader('Retry-After', String(by.resetSeconds));
  throw new DomainFailure('rate_limited');
}

const setRateLimitHeaders = (
  response: Response,
  { limit, remaining, resetSeconds }: RateLimitStatus,
): void => {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
};
