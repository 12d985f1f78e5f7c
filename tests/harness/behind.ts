import pg from 'pg';
import type { ClonedDatabase } from '@evaluation/test-services';

/** One statement behind the service and its row-level security: to look, or to make a state that takes long to reach. */
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

/** An exam as it stands once all of its live submissions are finalized: the status is derived from these counters. */
export const finalizeExam = async (database: ClonedDatabase, examId: string): Promise<void> => {
  await behind(database, 'update exams set live_submissions = 1, live_unfinalized = 0 where id = $1', [
    examId,
  ]);
};
