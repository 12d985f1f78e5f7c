import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { excessOf } from './jsonStructure.ts';
import { largeBodies, SMALL_BYTES, type LargeBodies } from './largeBodies.ts';
import { metadataOf } from './routeMetadata.ts';

/** Two of the largest. */
const IN_HAND_BYTES = 200 * 1024 * 1024;

const parser = (limit: number, bodies: LargeBodies | null): RequestHandler =>
  express.json({
    limit,
    strict: false,
    // Compressed, a few bytes would become as many as the limit allows.
    inflate: false,
    // express decodes broken UTF-8 without a word; RFC 8259 calls it malformed.
    verify: (_request, response, body) => {
      bodies?.isRead(response, body.length);
      if (!isUtf8(body)) throw new Error('invalid UTF-8');
      const excess = excessOf(body);
      if (excess !== null) throw new Excess(excess);
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

/** As the parser says it of a body that is too long, or that is no JSON to it. */
class Excess extends Error {
  readonly type: string;

  constructor(excess: NonNullable<ReturnType<typeof excessOf>>) {
    super(`the structure of the body is ${excess}`);
    this.name = 'Excess';
    this.type = excess === 'too_deep' ? 'entity.parse.failed' : 'entity.too.large';
  }
}
