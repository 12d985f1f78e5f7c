import type { RequestHandler } from 'express';
import { stringifyExact } from '@evaluation/rest-contract/exact-json';

/** Answers show a client's own objects (`metadata`, `tags`) as they were sent, digit by digit. */
export const exactAnswers: RequestHandler = (_request, response, next) => {
  response.json = (body) => response.type('json').send(stringifyExact(body));
  next();
};
