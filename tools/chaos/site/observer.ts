import pg from 'pg';
import type { BehindTheApi } from '../../../tests/harness/ledger.ts';

export type Observer = Pick<BehindTheApi, 'query' | 'close'>;

const TRIES = 40;
const PAUSE_MS = 250;

/** Reads the tables past row-level security. Repeats a statement while PostgreSQL is being started again. */
export const openObserver = (superuserUrl: string): Observer => {
  const pool = new pg.Pool({ connectionString: superuserUrl, max: 2, connectionTimeoutMillis: 5_000 });
  // A connection that waits in the pool ends with its server.
  pool.on('error', () => {});
  return {
    query: async <Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return (await pool.query<Row>(statement, values)).rows;
        } catch (error) {
          // A fault of the statement itself has a code of five characters outside the classes 08 and 57.
          const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
          if (tries === TRIES || (code !== '' && !/^(?:08|57)/.test(code))) throw error;
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
    },
    close: () => pool.end(),
  };
};
