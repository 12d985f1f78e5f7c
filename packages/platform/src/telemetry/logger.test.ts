import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const logged = (error: Error): string => {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  createLogger({ service: 'test', level: 'info', stream }).error({ err: error }, 'procedure failed');
  return text;
};

test('a PostgreSQL error about a value is logged by its code, without the value', () => {
  const error = Object.assign(new Error('invalid input syntax for type timestamp: "secret"'), {
    severity: 'ERROR',
    code: '22007',
  });
  for (const text of [logged(error), logged(new Error('outer', { cause: error }))]) {
    expect(text).not.toContain('secret');
    expect(text).toContain('22007');
    expect(text).toContain('logger.test.ts');
  }
});

test('an error of Prisma is logged by its codes, without PostgreSQL’s message and without arguments', () => {
  const error = Object.assign(
    new Error(
      'Invalid `prisma.x.find()`:\n\nDatabase error. Code: `22008`. Message: `out of range: "secret"`',
    ),
    { name: 'PrismaClientKnownRequestError', code: 'P2010' },
  );
  const text = logged(new Error('outer', { cause: error }));
  expect(text).not.toContain('secret');
  expect(text).toContain('P2010 SQLSTATE 22008');
  expect(text).toContain('logger.test.ts');
  const wrong = Object.assign(new Error('Argument `id`: "secret"'), { name: 'PrismaClientValidationError' });
  expect(logged(wrong)).not.toContain('secret');
});

test('any other error keeps its message', () => {
  expect(logged(new Error('the pool is closed'))).toContain('the pool is closed');
});
