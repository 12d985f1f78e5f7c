import pg from 'pg';
import type { ClonedDatabase } from '@evaluation/test-services';

/** Copies a submission for `count` more candidates, with answers, a waiting run and reserved credits. */
export const multiply = async (
  database: ClonedDatabase,
  submissionId: string,
  count: number,
): Promise<void> => {
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(
      `create temporary table more on commit drop as
       select n, gen_random_uuid() as submission, gen_random_uuid() as run, gen_random_uuid() as candidate
       from generate_series(1, $1::int) n`,
      [count],
    );
    const copies: [table: string, changed: string][] = [
      ['candidates', `'id', candidate, 'external_id', 'MANY-' || candidate`],
      [
        'submissions',
        `'id', submission, 'candidate_id', candidate, 'current_run_id', run, 'status', 'queued'`,
      ],
      // Answers have words of their own, since equal answers are judged once.
      ['answers', `'submission_id', submission, 'text', t.text || ' ' || n`],
      [
        'runs',
        `'id', run, 'submission_id', submission, 'status', 'queued', 'delivery', 0, 'fence', 0, 'worker', null,
         'released_at', null, 'claimed_at', null, 'lease_until', null, 'deadline_at', null, 'paper', null,
         'queued_at', clock_timestamp()`,
      ],
    ];
    const ofTheFirst: Record<string, string> = {
      candidates: 'id = (select candidate_id from submissions where id = $1)',
      submissions: 'id = $1',
      answers: 'submission_id = $1',
      runs: 'submission_id = $1',
    };
    for (const [table, changed] of copies) {
      await client.query(
        `insert into ${table}
         select made.* from ${table} t, more,
           jsonb_populate_record(null::${table}, to_jsonb(t) || jsonb_build_object(${changed})) made
         where t.${ofTheFirst[table]}`,
        [submissionId],
      );
    }
    await client.query(
      `update exams set live_submissions = live_submissions + $2, live_unfinalized = live_unfinalized + $2
       where id = (select exam_id from submissions where id = $1)`,
      [submissionId, count],
    );
    await client.query(
      `with reserved as (
         update credit_accounts a set committed = committed + $2 * r.price
         from runs r where r.submission_id = $1 and a.institute_id = r.institute_id
         returning a.institute_id, a.balance, a.committed, r.price)
       insert into credit_entries (institute_id, kind, amount, run_id, balance_after, committed_after)
       select institute_id, 'reserve', price, run, balance, committed - ($2 - n) * price from reserved, more`,
      [submissionId, count],
    );
    await client.query('commit');
    // Updates the planner's statistics; otherwise each claim would read every row.
    await client.query('analyze');
  } finally {
    await client.end();
  }
};
