import { sql } from 'kysely';
import type { Services } from '../command/services.ts';

/** An entry of the ledger as the institute sees it. Times are UTC. */
interface CreditEntry {
  /** Position in the ledger. */
  id: string;
  kind: 'grant' | 'reserve' | 'charge' | 'release';
  amount: number;
  balance_after: number;
  created_at: string;
  submission_id: string | null;
  exam: { id: string; title: string } | null;
}

/** Pages of the ledger, newest first. */
export const creditHistory = async (
  { database }: Services,
  instituteId: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<{ data: CreditEntry[]; next_before: string | null }> => {
  const rows = await database.readInTenant(
    instituteId,
    sql<{
      id: string;
      kind: CreditEntry['kind'];
      amount: string;
      balance_after: string;
      created_at: Date;
      submission_id: string | null;
      exam_id: string | null;
      title: string | null;
    }>`
      select e.id::text, e.kind, e.amount, e.balance_after, e.created_at, s.id as submission_id, x.id as exam_id, x.title
      from credit_entries e
      left join runs r on r.id = e.run_id and r.institute_id = ${instituteId}
      left join submissions s on s.id = r.submission_id and s.institute_id = ${instituteId}
      left join exams x on x.id = s.exam_id and x.institute_id = ${instituteId}
      where e.institute_id = ${instituteId}
        and ${before === undefined ? sql`true` : sql`e.id < ${before}::bigint`}
      order by e.id desc limit ${limit + 1}`,
    { walksIndexes: true },
  );
  const data = rows.slice(0, limit).map((row) => ({
    id: row.id,
    kind: row.kind,
    amount: Number(row.amount),
    balance_after: Number(row.balance_after),
    created_at: row.created_at.toISOString(),
    submission_id: row.submission_id,
    exam: row.exam_id === null || row.title === null ? null : { id: row.exam_id, title: row.title },
  }));
  return { data, next_before: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
};

/** Credits charged on each of the last `days` days (UTC), oldest first, days without charges included. */
export const spendingByDay = async (
  { database }: Services,
  instituteId: string,
  days: number,
): Promise<{ day: string; credits: number }[]> => {
  const rows = await database.readInTenant(
    instituteId,
    sql<{ day: string; credits: string }>`
      with charged as (
        select (created_at at time zone 'UTC')::date as day, sum(amount) as credits
        from credit_entries
        where institute_id = ${instituteId} and kind = 'charge'
          and created_at >= ((now() at time zone 'UTC')::date - ${days - 1}::int) at time zone 'UTC'
        group by 1
      )
      select to_char(d, 'YYYY-MM-DD') as day, coalesce(charged.credits, 0) as credits
      from generate_series((now() at time zone 'UTC')::date - ${days - 1}::int, (now() at time zone 'UTC')::date, '1 day') as d
      left join charged on charged.day = d::date
      order by d`,
    { walksIndexes: true },
  );
  return rows.map(({ day, credits }) => ({ day, credits: Number(credits) }));
};
