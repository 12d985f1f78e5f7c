import type { Request, RequestHandler, Response } from 'express';
import { rateKind } from '@evaluation/rest-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { FacadeSettings } from '@evaluation/settings';
import { demandsOf, type Caller } from '../rateLimits/demands.ts';
import type { Decision, RateLimits } from '../rateLimits/exchange.ts';
import type { Place, Standing } from '../rateLimits/decision.ts';
import { keyOf } from './authenticate.ts';
import { metadataOf, methodOf } from './routeMetadata.ts';

/*
 * Rate limits of a request (spec 8.2): after key, product and scope, before the body is looked at.
 *
 * A request that presigns files is the one case in two steps, since nothing may be counted where anything refuses and the
 * files are known only after the body: its write is held first, then the files; the write counts unless the files are
 * refused, and the files count once they are presigned. What is still held when the answer is out settles itself.
 */

/** The most files of a valid call (spec 8.1). Core refuses more, and presigns none. */
const MOST_FILES = 100;

export interface RateLimiting {
  /** For every request. */
  request: RequestHandler;
  /** After the body: for the routes that presign files. */
  files: RequestHandler;
}

export const rateLimiting = (limits: RateLimits, settings: FacadeSettings['rateLimits']): RateLimiting => {
  const demands = demandsOf(settings);

  return {
    request: (request, response, next) => {
      const caller = callerOf(response);
      if (caller === null) {
        next();
        return;
      }
      const metadata = metadataOf(request);
      const wanted = demands(caller, rateKind(metadata, methodOf(request)), 1);
      const isHeld = metadata.countsFiles === true;
      const goOn = (decision: Decision): void => {
        if (decision.kind === 'refused') refuse(response, decision.by);
        if (decision.tightest !== null) tell(response, decision.tightest);
        if (isHeld) {
          const held: HeldPlaces = { request: decision.places, files: [], limits };
          response.locals['held'] = held;
          response.once('close', () => {
            limits.count(held.request);
            // Gone before the answer: what core presigns meanwhile counts.
            if (response.writableFinished) limits.release(held.files);
            else limits.count(held.files);
            held.request = [];
            held.files = [];
          });
        }
        next();
      };
      const decision = limits.admit(wanted, isHeld);
      return decision instanceof Promise ? decision.then(goOn) : goOn(decision);
    },

    files: (request, response, next) => {
      const held = heldOf(response);
      const caller = callerOf(response);
      const count = filesIn(request);
      if (held === undefined || caller === null || count === 0) {
        next();
        return;
      }
      const goOn = (decision: Decision): void => {
        if (decision.kind === 'refused') {
          limits.release(held.request);
          held.request = [];
          refuse(response, decision.by);
        }
        // Gone while other replicas were asked: nothing is presigned any more.
        if (response.closed) limits.release(decision.places);
        else held.files = decision.places;
        next();
      };
      const decision = limits.admit(demands(caller, 'upload_files', count), true);
      return decision instanceof Promise ? decision.then(goOn) : goOn(decision);
    },
  };
};

interface HeldPlaces {
  request: readonly Place[];
  files: readonly Place[];
  limits: RateLimits;
}

/** The files of this request are presigned: now they count. */
export const countFiles = (response: Response): void => {
  const held = heldOf(response);
  if (held === undefined) return;
  const tightest = held.limits.tightest([...held.request, ...held.files]);
  if (tightest !== null) tell(response, tightest);
  held.limits.count(held.files);
  held.files = [];
};

const heldOf = (response: Response): HeldPlaces | undefined => response.locals['held'];

const callerOf = (response: Response): Caller | null => {
  const key = keyOf(response);
  return key === undefined ? null : { keyId: key.key_id, instituteId: key.institute_id, tier: key.rate_tier };
};

const filesIn = (request: Request): number => {
  const body: unknown = request.body;
  const files: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'files') : undefined;
  return Array.isArray(files) && files.length <= MOST_FILES ? files.length : 0;
};

function refuse(response: Response, by: Standing): never {
  tell(response, by);
  response.setHeader('Retry-After', String(by.resetSeconds));
  throw new DomainFailure('rate_limited');
}

const tell = (response: Response, { limit, remaining, resetSeconds }: Standing): void => {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
};
