import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { DomainFailure } from '@evaluation/rest-contract/errors';

/**
 * Takes JSON and nothing else (spec chapter 1). An empty body needs no content type, since actions such as open have
 * none; any other body that is not `application/json` answers 415.
 */
export const jsonBody = (limitBytes: number): RequestHandler[] => [
  (request, _response, next) => {
    const hasBody =
      request.headers['transfer-encoding'] !== undefined ||
      Number(request.headers['content-length'] ?? 0) > 0;
    if (hasBody && !request.is('application/json')) throw new DomainFailure('unsupported_media_type');
    next();
  },
  express.json({
    limit: limitBytes,
    strict: false,
    // express decodes broken UTF-8 without a word; RFC 8259 calls it malformed.
    verify: (_request, _response, body) => {
      if (!isUtf8(body)) throw new Error('invalid UTF-8');
    },
  }),
];
