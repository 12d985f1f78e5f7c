import pg from 'pg';
import type { ClonedDatabase } from '@evaluation/test-services';

/** Runs one statement as superuser, past row-level security: to read rows, or to make a state quickly. */
export const behind = async <R extends pg.QueryResultRow>(
  database: ClonedDatabase,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<R[]> => {
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    return (await client.query<R>(statement, [...parameters])).rows;
  } finally {
    await client.end();
  }
};

/** Marks an exam as if all of its live submissions were finalized: the status is derived from these counters. */
export const finalizeExam = async (database: ClonedDatabase, examId: string): Promise<void> => {
  await behind(database, 'update exams set live_submissions = 1, live_unfinalized = 0 where id = $1', [
    examId,
  ]);
};
