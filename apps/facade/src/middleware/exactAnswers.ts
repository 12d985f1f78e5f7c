import type { RequestHandler } from 'express';
import { stringifyExact } from '@evaluation/rest-contract/exact-json';

/** Sends clients' own objects (`metadata`, `tags`) as they were received, digit by digit. */
export const exactAnswers: RequestHandler = (_request, response, next) => {
  response.json = (body) => response.type('json').send(stringifyExact(body));
  next();
};
