import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';

/** Opaque cursors: the position of the last row, signed together with institute, list and filters. */

const timestamp = z.iso.datetime({ precision: 3 });

const Position = z.object({
  updated_at: timestamp,
  id: z.uuid(),
  /** Start of the pass (pass.ts). Absent from lists without passes. */
  pass_started_at: timestamp.optional(),
});
export type Position = z.infer<typeof Position>;

export interface CursorScope {
  instituteId: string;
  list: string;
  filters: Record<string, string | number | boolean | undefined>;
}

export const writeCursor = (position: Position, scope: CursorScope, signingKey: string): string => {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${payload}.${mac(payload, scope, signingKey)}`;
};

export const readCursor = (cursor: string, scope: CursorScope, signingKeys: readonly string[]): Position => {
  const [payload = '', signature = ''] = cursor.split('.');
  const given = Buffer.from(signature);
  const isSignedBy = (key: string): boolean => {
    const expected = Buffer.from(mac(payload, scope, key));
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (cursor.split('.').length !== 2 || !signingKeys.some(isSignedBy)) {
    throw new DomainFailure('invalid_cursor');
  }
  return Position.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
};

const mac = (payload: string, scope: CursorScope, signingKey: string): string => {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha256', signingKey)
    .update(JSON.stringify(['cursor', payload, scope.instituteId, scope.list, filters]))
    .digest('base64url')
    .slice(0, 22);
};
