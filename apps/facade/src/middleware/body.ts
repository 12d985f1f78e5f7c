import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { largeBodies, SMALL_BYTES, type LargeBodies } from './largeBodies.ts';
import { metadataOf } from './routeMetadata.ts';

/** Two of the largest. */
const IN_HAND_BYTES = 200 * 1024 * 1024;

const parser = (limit: number, bodies: LargeBodies | null): RequestHandler =>
  express.json({
    limit,
    strict: false,
    // express decodes broken UTF-8 without a word; RFC 8259 calls it malformed.
    verify: (_request, response, body) => {
      bodies?.isRead(response, body.length);
      if (!isUtf8(body)) throw new Error('invalid UTF-8');
    },
  });

/**
 * Takes JSON and nothing else (spec chapter 1). An empty body needs no content type, since actions such as open have
 * none; any other body that is not `application/json` answers 415.
 * @param limitBytes of the bodies that the contract calls large
 * @param inHandBytes of all large bodies at once; what comes beyond them answers 503
 */
export const jsonBody = (limitBytes: number, inHandBytes = IN_HAND_BYTES): RequestHandler[] => {
  const bodies = largeBodies(inHandBytes);
  // Enough for every body but those that the contract calls large.
  const small = parser(Math.min(SMALL_BYTES, limitBytes), null);
  const large = parser(limitBytes, bodies);
  return [
    (request, _response, next) => {
      if (hasBody(request) && !request.is('application/json')) {
        throw new DomainFailure('unsupported_media_type');
      }
      next();
    },
    (request, response, next) => {
      if (metadataOf(request).body !== 'large') {
        small(request, response, next);
        return;
      }
      // What is larger than any valid body is refused as that, without being read.
      if (Number(request.headers['content-length'] ?? 0) <= limitBytes) bodies.begin(request, response);
      large(request, response, next);
    },
    (request, _response, next) => {
      // The client went away before the parser began, which then does nothing: a request without its body is another one.
      if (hasBody(request) && request.body === undefined) throw new CutOff();
      if (isTooDeep(request.body)) throw new DomainFailure('malformed_json');
      next();
    },
  ];
};

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** As the parser says it of a body that breaks off while it is read. */
class CutOff extends Error {
  readonly type = 'request.aborted';

  constructor() {
    super('the client went away before its body was read');
    this.name = 'CutOff';
  }
}

/** Client metadata of 2 KB can nest a thousand levels; nothing else that the spec permits nests more than ten. */
const MAX_DEPTH = 1100;

/** JSON.parse takes any depth, but whoever walks the value afterwards would run out of stack. */
const isTooDeep = (body: unknown): boolean => {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value).filter(isContainer) : [],
    );
  }
  return false;
};

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;
