import { expect, test } from 'vitest';
import { LaneUnavailable } from '@evaluation/lanes';
import { ObjectStoreTimeout } from '@evaluation/object-store';
import { unreachable } from './unreachable.ts';

const error = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);

test.each<[string, Error, string | null]>([
  ['NATS', new LaneUnavailable('no connection'), 'NATS'],
  ['a store that is slow', new ObjectStoreTimeout('late'), 'the object store'],
  [
    'a store that asks to slow down',
    error('SlowDown', { $metadata: { httpStatusCode: 503 } }),
    'the object store',
  ],
  ['a store that refuses', error('AccessDenied', { $metadata: { httpStatusCode: 403 } }), null],
  ['PostgreSQL shutting down', error('terminating', { code: '57P01' }), 'PostgreSQL'],
  ['too many connections', error('sorry', { code: '53300' }), 'PostgreSQL'],
  ['a lock that took too long', error('lock', { code: '55P03' }), 'PostgreSQL'],
  ['a transaction that took too long', error('timeout', { code: '25P04' }), 'PostgreSQL'],
  ['a deadlock that stayed', error('deadlock', { code: '40P01' }), 'PostgreSQL'],
  ['Prisma without a server', error("Can't reach database server", { code: 'P1001' }), 'PostgreSQL'],
  ['a pool that waited too long', error('timeout exceeded when trying to connect'), 'PostgreSQL'],
  [
    'a connection that broke under a transaction',
    error('Client has encountered a connection error and is not queryable'),
    'PostgreSQL',
  ],
  ['a refused connection', error('connect', { code: 'ECONNREFUSED' }), 'a dependency'],
  [
    'both addresses refused',
    new AggregateError([error('connect', { code: 'ECONNREFUSED' })]),
    'a dependency',
  ],
  ['wrapped', new Error('query failed', { cause: error('gone', { code: '08006' }) }), 'PostgreSQL'],
  ['a broken constraint', error('duplicate key', { code: '23505' }), null],
  ['a bug', new TypeError('undefined is not a function'), null],
])('unreachable recognises temporary failures only: %s', (_name, thrown, expected) => {
  expect(unreachable(thrown)).toBe(expected);
});
