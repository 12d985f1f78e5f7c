import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { ClonedDatabase } from '@evaluation/test-services';

interface RunRow {
  id: string;
  institute_id: string;
  attempt: number;
  status: 'queued' | 'released' | 'claimed' | 'completed' | 'failed' | 'cancelled';
  fence: number;
  delivery: number;
  dead_leases: number;
  worker: string | null;
  claimed_at: Date | null;
}

/** Reads what the API does not show: runs, their records, and the ledger of credits. */
export interface BehindTheApi {
  runsOf(submissionId: string): Promise<RunRow[]>;
  /** The run of a submission that has exactly one. */
  runOf(submissionId: string): Promise<RunRow>;
  /** Names of the model calls whose outcome is stored, in the form of `nameOfCall`. */
  recordedCalls(submissionId: string): Promise<string[]>;
  entriesOf(submissionId: string): Promise<{ kind: string; amount: number }[]>;
  /** Deletes the cached judgements, so that equal answers are judged again. */
  forgetJudgements(): Promise<void>;
  query<Row extends pg.QueryResultRow>(statement: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const lookBehind = (database: Pick<ClonedDatabase, 'superuserUrl'>): BehindTheApi => {
  const pool = new pg.Pool({ connectionString: database.superuserUrl, max: 2 });
  const query = async <Row extends pg.QueryResultRow>(
    statement: string,
    values: unknown[] = [],
  ): Promise<Row[]> => (await pool.query<Row>(statement, values)).rows;
  const runsOf = (submissionId: string) =>
    query<RunRow>(
      `select id, institute_id, attempt, status, fence, delivery, dead_leases, worker, claimed_at
       from runs where submission_id = $1 order by attempt`,
      [submissionId],
    );
  return {
    query,
    forgetJudgements: async () => {
      await query('delete from judgements');
    },
    runsOf,
    runOf: async (submissionId) => {
      const [run, ...others] = await runsOf(submissionId);
      if (run === undefined || others.length > 0)
        throw new Error(`submission ${submissionId} has not exactly one run`);
      return run;
    },
    recordedCalls: async (submissionId) => {
      const rows = await query<{ name: string }>(
        `select 'pages ' || p.first_page as name from page_readings p join runs r on r.id = p.run_id where r.submission_id = $1
         union all select 'alignment' from runs where submission_id = $1 and alignment is not null
         union all select 'rubric ' || q.label from rubric_versions v join questions q on q.id = v.question_id
           join submissions s on s.exam_id = q.exam_id join runs r on r.id = s.current_run_id
           where s.id = $1 and v.source = 'generated' and v.created_at >= r.claimed_at
         union all select 'question ' || q.label from question_results t
           join runs r on r.id = t.run_id join questions q on q.id = t.question_id
           where r.submission_id = $1 and t.source is distinct from 'auto'
         union select 'question ' || q.label from judgements j
           join runs r on r.id = j.run_id join questions q on q.id = j.question_id
           where r.submission_id = $1`,
        [submissionId],
      );
      return rows.map(({ name }) => name);
    },
    entriesOf: async (submissionId) => {
      const rows = await query<{ kind: string; amount: string }>(
        `select e.kind, e.amount from credit_entries e join runs r on r.id = e.run_id
         where r.submission_id = $1 order by e.id`,
        [submissionId],
      );
      return rows.map(({ kind, amount }) => ({ kind, amount: Number(amount) }));
    },
    close: () => pool.end(),
  };
};

const LONGEST_PAUSE_MS = 200;

/**
 * Calls `look` until it returns a value.
 * @param timeoutMs long by default, since a busy machine may be slow
 * @throws Error with `what` after the timeout
 */
export const eventually = async <T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  timeoutMs = 50_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  // The pauses grow, since each look takes CPU from the work that is awaited.
  for (let pause = 5; ; pause = Math.min(pause * 1.25, LONGEST_PAUSE_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms: ${what}`);
    await wait(pause);
  }
};
