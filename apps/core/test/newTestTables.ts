import { sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import type { Database } from '@evaluation/database';
import { openTestDatabase, readPlan, type PlanReading } from '@evaluation/test-services';
import { writeCursor, type Position } from '../src/command/lists/cursor.ts';
import { openPage, type Page } from '../src/command/lists/page.ts';

/** A database that a test fills with fabricated rows, to measure how many rows a statement reads. */
interface TestTables {
  database: Database;
  /** A superuser's connection. Fabricated rows have no parent rows, so foreign keys and triggers are switched off. */
  maker: pg.Client;
  /** Runs a statement as the service's role under row-level security. @returns what it has read */
  readingOf: (instituteId: string, statement: RawBuilder<unknown>) => Promise<PlanReading>;
  close: () => Promise<void>;
}

export const newTestTables = async (connections = 1): Promise<TestTables> => {
  const clone = await openTestDatabase(connections);
  const { database } = clone;
  const maker = new pg.Client({ connectionString: clone.superuserUrl });
  await maker.connect();
  await maker.query('set session_replication_role = replica');
  return {
    database,
    maker,
    readingOf: async (instituteId, statement) => {
      const { rows } = await database.inTenant(instituteId, (tx) =>
        sql<object>`explain (analyze, format json) ${statement}`.execute(tx),
      );
      return readPlan(rows[0]);
    },
    close: async () => {
      await maker.end();
      await clone.close();
    },
  };
};

/** SQL of the id of row `number`. Ids ascend with the rows, because ascending ids fill an index fast. */
export const idOf = (number: string): string =>
  `('00000000-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

const KEY = 'sixteen characters';

/** The page of a list after `position`; null for the first page. */
export const pageAfter = (
  position: Position | null,
  list: { instituteId: string; list: string; defaultLimit: number },
  filters: { updated_since?: string } = {},
): Page => {
  const options = { ...list, signingKeys: [KEY] };
  const { scope } = openPage(filters, options);
  return openPage(
    position === null ? filters : { ...filters, cursor: writeCursor(position, scope, KEY) },
    options,
  );
};
