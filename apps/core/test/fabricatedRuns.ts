import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Inserts rows of `runs` without submissions, which the dispatcher does not read, and counts what it released. */
export const fabricatedRuns = (maker: pg.Client) => {
  /** Inserts claimed runs. The window of the lane counts them, and as many other runs may wait in the lane. */
  const keepBusy = (workers: number, lane = 'typed') =>
    maker.query(
      `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, lease_until)
       select gen_random_uuid(), $3, gen_random_uuid(), $2::"Lane", 1, 'claimed', 1, now() + interval '1 hour'
       from generate_series(1, $1)`,
      [workers, lane, randomUUID()],
    );

  /** Queues `runsEach` runs for each institute, oldest first. @returns the institutes' ids in id order */
  const queueRuns = async (institutes: number, runsEach: number, lane = 'typed'): Promise<string[]> => {
    const { rows } = await maker.query<{ institute_id: string }>(
      `with institutes as (select gen_random_uuid() as institute_id from generate_series(1, $1)),
         made as (
           insert into runs (id, institute_id, submission_id, lane, attempt, status, price, queued_at)
           select gen_random_uuid(), institute_id, gen_random_uuid(), $3::"Lane", 1, 'queued', 1, now() + at * interval '1 second'
           from institutes, generate_series(1, $2) at)
       select institute_id from institutes order by institute_id`,
      [institutes, runsEach, lane],
    );
    return rows.map(({ institute_id }) => institute_id);
  };

  const runsOut = async (): Promise<Map<string, number>> => {
    const { rows } = await maker.query<{ institute_id: string; runs: number }>(
      `select institute_id, count(*)::int as runs from runs where status = 'released' group by institute_id`,
    );
    return new Map(rows.map(({ institute_id, runs }) => [institute_id, runs]));
  };

  return { keepBusy, queueRuns, runsOut };
};
