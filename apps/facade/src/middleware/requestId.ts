import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

/** Every response carries `X-Request-Id`, errors included (docs/api/conventions.md#idempotency). A client's own id is not taken over. */
export const requestId: RequestHandler = (_request, response, next) => {
  const id = randomUUID();
  response.locals['requestId'] = id;
  response.setHeader('X-Request-Id', id);
  next();
};

export const requestIdOf = (response: Response): string => String(response.locals['requestId']);
