import { createHash, type Hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { replayOf, type CoreAccess, type IdempotentRequest } from '@evaluation/core-client';
import { happensOnce } from '@evaluation/rest-contract';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import { exactTextOf, withComparableNumbers } from '@evaluation/rest-contract/exact-json';
import { canonicalJson, canonicalPieces } from '@evaluation/rules';
import { inSlices } from '@evaluation/turns';
import { requestIdOf } from './requestId.ts';
import { metadataOf, successStatusOf } from './routeMetadata.ts';
import { sendFailure } from './sendFailure.ts';

/*
 * `Idempotency-Key` (docs/architecture.md#idempotency). The facade reads the key, names the request by a hash, and hands both to core
 * with the call; core alone decides, in the transaction of the effect. What core answered before comes back as a replay.
 */

const KEY = /^[\x20-\x7e]{1,255}$/;

/** After the scope, before the body: what is wrong with the body is an outcome of the key too. */
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
    // Until the body is read only the path identifies the request: enough for refusals that do not read the body.
    response.locals['idempotent'] = {
      key,
      fingerprint: hashOf(request).update('unread').digest('base64url'),
    };
  }
  next();
};

/**
 * After the body: the same request is the one with the same method, path and JSON, however that was written. Fields that
 * the schema does not know are no part of it: they were not kept. A large body takes up to a second, in slices.
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

/** Begins the hash of a request with its method and path. */
const hashOf = (request: Request): Hash =>
  createHash('sha256').update(JSON.stringify([request.method, request.originalUrl.split('?')[0]]));

/** Characters that are hashed at once, between two pauses. */
const PIECE_LENGTH = 64 * 1024;

/** An object that is kept as text counts by its value as any other does. */
const textOfExact = (object: object): string | null => {
  const text = exactTextOf(object);
  return text === null ? null : canonicalJson(JSON.parse(withComparableNumbers(text)));
};

/** Refusals of the facade that a repetition of the request meets again; core keeps them under the key. */
const KEPT = ['unsupported_media_type', 'malformed_json'] as const;

/**
 * A refusal by the facade itself, of a request with a key: stored by core, or, where the key was used before, replaced by
 * what core says of it.
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
  } catch (said) {
    return said;
  }
};

/** Answers as the first request was answered, if this is a repetition. @returns whether it is */
export const sendReplay = (request: Request, response: Response, error: unknown): boolean => {
  const outcome = replayOf(error);
  if (outcome === null) return false;
  response.setHeader('Idempotent-Replayed', 'true');
  if ('failure' in outcome) sendFailure(response, outcome.failure);
  else response.status(successStatusOf(request)).json(outcome.body);
  return true;
};
