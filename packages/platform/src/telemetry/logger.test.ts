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

test('any other error keeps its message', () => {
  expect(logged(new Error('the pool is closed'))).toContain('the pool is closed');
});
