import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

/** Sets `X-Request-Id` on each response, errors included. An id sent by the client is ignored. */
export const requestId: RequestHandler = (_request, response, next) => {
  const id = randomUUID();
  response.locals['requestId'] = id;
  response.setHeader('X-Request-Id', id);
  next();
};

export const requestIdOf = (response: Response): string => String(response.locals['requestId']);
