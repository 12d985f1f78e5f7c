import { createHash, type Hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { replayOf, type CoreAccess, type IdempotentRequest } from '@evaluation/core-client';
import { happensOnce } from '@evaluation/rest-contract';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import { exactTextOf, withComparableNumbers } from '@evaluation/rest-contract/exact-json';
import { canonicalJson, canonicalPieces } from '@evaluation/rules';
import { inSlices } from '@evaluation/platform/turns';
import { requestIdOf } from '@evaluation/platform/http';
import { metadataOf, successStatusOf } from './routeMetadata.ts';
import { sendFailure } from './sendFailure.ts';

/*
 * `Idempotency-Key` (docs/architecture.md#idempotency). The facade reads the key, computes a hash of the request (the
 * fingerprint), and sends both to core with the call. Core alone decides, in the transaction of the effect. If core has
 * answered the key before, it returns the stored answer as a replay.
 */

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Runs after the scope check and before the body is read, because a refusal of the body is stored too. */
export const idempotencyKey: RequestHandler = (request, response, next) => {
  const key = request.get('idempotency-key');
  if (key !== undefined && happensOnce(metadataOf(request), request.method)) {
    if (!KEY.test(key)) {
      throw new DomainFailure('validation_failed', {
        details: {
          errors: [
            {
              field: 'Idempotency-Key',
              code: 'invalid_value',
              message: '1 to 255 printable ASCII characters.',
            },
          ],
        },
      });
    }
    // Until the body is read, the fingerprint covers method and path only; refusals made without the body use it.
    response.locals['idempotent'] = {
      key,
      fingerprint: hashOf(request).update('unread').digest('base64url'),
    };
  }
  next();
};

/**
 * Runs after the body is read. Two requests are the same if method, path and canonical JSON are the same. A large body
 * takes up to a second, in slices.
 */
export const fingerprint: RequestHandler = async (request, response, next) => {
  const idempotent = idempotentOf(response);
  if (idempotent !== undefined) {
    response.locals['idempotent'] = { key: idempotent.key, fingerprint: await fingerprintOf(request) };
  }
  next();
};

export const idempotentOf = (response: Response): IdempotentRequest | undefined =>
  response.locals['idempotent'];

const fingerprintOf = async (request: Request): Promise<string> => {
  const hash = hashOf(request);
  const pause = inSlices();
  let piece = '';
  for (const text of canonicalPieces(request.body, textOfExact)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    hash.update(piece);
    piece = '';
    await pause();
  }
  return hash.update(piece).digest('base64url');
};

const hashOf = (request: Request): Hash =>
  createHash('sha256').update(JSON.stringify([request.method, request.originalUrl.split('?')[0]]));

/** Number of characters that are hashed before the event loop may run. */
const PIECE_LENGTH = 64 * 1024;

/** Canonical text of an object that is kept as text; its numbers are compared by value, as in any other object. */
const textOfExact = (object: object): string | null => {
  const text = exactTextOf(object);
  return text === null ? null : canonicalJson(JSON.parse(withComparableNumbers(text)));
};

/** Refusals of the facade that are the same for each repetition of a request; core stores them under the key. */
const KEPT = ['unsupported_media_type', 'malformed_json'] as const;

/**
 * Stores a refusal by the facade under the request's key. If the key was used before, core's stored answer replaces it.
 * @returns the error to answer with
 */
export const keepRefusal = async (
  core: CoreAccess,
  response: Response,
  failure: Failure,
  error: unknown,
): Promise<unknown> => {
  const idempotent = idempotentOf(response);
  const code = KEPT.find((kept) => kept === failure.code);
  if (idempotent === undefined || code === undefined) return error;
  const { actor } = response.locals;
  try {
    await core.as({ actor, requestId: requestIdOf(response), idempotent }).public.refuse.mutate({ code });
    return error;
  } catch (answer) {
    return answer;
  }
};

/** Sends the stored answer if `error` is a replay. @returns whether it is */
export const sendReplay = (request: Request, response: Response, error: unknown): boolean => {
  const outcome = replayOf(error);
  if (outcome === null) return false;
  response.setHeader('Idempotent-Replayed', 'true');
  if ('failure' in outcome) sendFailure(response, outcome.failure);
  else response.status(successStatusOf(request)).json(outcome.body);
  return true;
};
