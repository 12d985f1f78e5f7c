import fc from 'fast-check';
import type { Operation } from './document.ts';
import { CONTENT_TYPES, hostileHeader, hostileSegment, hostileText, hostileValue } from './hostile.ts';
import { valueOf } from './schemaArbitrary.ts';

/**
 * A request before its ids are known: `sendIntent` takes them from the objects of the two institutes. So a seed gives
 * the same intents again, although ids differ between two runs.
 */
export interface Intent {
  operation: Operation;
  body:
    /** The request of the table of endpoints that succeeds once. */
    | { kind: 'valid' }
    /** The same, changed at one place. */
    | { kind: 'changed'; place: number; how: Change }
    /** A value of the schema. */
    | { kind: 'schema'; value: unknown }
    | { kind: 'text'; text: string };
  /** Objects whose ids the path and the body name. */
  ids: 'own' | 'foreign' | 'hostile';
  segment: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  key: 'own' | 'reader' | 'wrong' | 'none';
}

export type Change =
  | { do: 'remove' }
  | { do: 'replace'; by: unknown }
  | { do: 'add'; name: string; by: unknown }
  | { do: 'double' };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>({ do: 'remove' }),
  fc.constant<Change>({ do: 'double' }),
  fc.record({ do: fc.constant('replace' as const), by: hostileValue }),
  fc.record({ do: fc.constant('replace' as const), by: hostileValue }),
  fc.record({
    do: fc.constant('add' as const),
    name: fc.oneof(
      fc.constantFrom('images', 'question_ids', 'choice_groups', '__proto__', 'id', 'institute_id', ''),
      fc.string({ maxLength: 10 }),
    ),
    by: hostileValue,
  }),
);

/** The value of a query parameter: a string as it is, other values as JSON. */
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Some of these names, each with its text. */
const texts = (values: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Record<string, string>> =>
  fc
    .record(values, { requiredKeys: [] })
    .map((some) => Object.fromEntries(Object.entries(some).map(([name, text]) => [name, text ?? ''])));

const intentOf = (operation: Operation): fc.Arbitrary<Intent> => {
  const body: fc.Arbitrary<Intent['body']> =
    operation.body === null
      ? fc.constant({ kind: 'valid' })
      : fc.oneof(
          { arbitrary: fc.constant<Intent['body']>({ kind: 'valid' }), weight: 2 },
          {
            arbitrary: fc.record({ kind: fc.constant('changed' as const), place: fc.nat(200), how: change }),
            weight: 6,
          },
          {
            arbitrary: fc.record({ kind: fc.constant('schema' as const), value: valueOf(operation.body) }),
            weight: 4,
          },
          { arbitrary: fc.record({ kind: fc.constant('text' as const), text: hostileText }), weight: 2 },
        );
  const query = texts(
    Object.fromEntries(
      operation.query.map(({ name, schema }) => [
        name,
        fc.oneof(
          { arbitrary: valueOf(schema).map(asText), weight: 2 },
          {
            arbitrary: fc.oneof(
              hostileValue.map(asText),
              fc.constantFrom('0', '201', '-1', '1e2', 'ALL', '2026-01-01'),
            ),
            weight: 1,
          },
        ),
      ]),
    ),
  );
  const headers = texts({
    'idempotency-key': fc.oneof(fc.constantFrom('one', 'two', 'three'), hostileHeader),
    'if-match': hostileHeader,
    'content-type': fc.constantFrom(...CONTENT_TYPES),
    accept: hostileHeader,
    'x-request-id': hostileHeader,
  });
  return fc.record({
    operation: fc.constant(operation),
    body,
    ids: fc.oneof(
      { arbitrary: fc.constant<Intent['ids']>('own'), weight: 6 },
      { arbitrary: fc.constant<Intent['ids']>('foreign'), weight: 2 },
      { arbitrary: fc.constant<Intent['ids']>('hostile'), weight: 2 },
    ),
    segment: hostileSegment,
    query: fc.oneof(
      { arbitrary: fc.constant<Record<string, string>>({}), weight: 2 },
      { arbitrary: query, weight: 3 },
    ),
    headers: fc.oneof(
      { arbitrary: fc.constant<Record<string, string>>({}), weight: 4 },
      { arbitrary: headers, weight: 1 },
    ),
    key: fc.oneof(
      { arbitrary: fc.constant<Intent['key']>('own'), weight: 20 },
      { arbitrary: fc.constantFrom<Intent['key']>('reader', 'wrong', 'none'), weight: 1 },
    ),
  });
};

export const intentsOf = (operations: readonly Operation[]): fc.Arbitrary<Intent> =>
  fc.oneof(...operations.map(intentOf));
