import { expect } from 'vitest';
import { untilOver, type ApiClient } from '../harness/api.ts';
import type { BehindTheApi } from '../harness/ledger.ts';

/**
 * Waits until the run is over. Checks one attempt, one set of marks, one reservation, one charge, and a balance that
 * adds up.
 */
export const expectGradedOnce = async (
  api: ApiClient,
  behind: BehindTheApi,
  submissionId: string,
): Promise<void> => {
  const body = await untilOver(api, submissionId);
  const price = body.quote?.credits ?? 0;
  expect(price).toBeGreaterThan(0);
  expect(body).toMatchObject({ status: 'graded', attempt_count: 1, credits_charged: price, error: null });
  const run = await behind.runOf(submissionId);
  expect(run).toMatchObject({ attempt: 1, status: 'completed' });
  expect(await behind.entriesOf(submissionId)).toEqual([
    { kind: 'reserve', amount: price },
    { kind: 'charge', amount: price },
  ]);
  const marked = await behind.query('select marks_revision from submissions where id = $1', [submissionId]);
  expect(marked, 'marks were set once').toEqual([{ marks_revision: 1 }]);
  await expectAccountAddsUp(behind, run.institute_id);
};

export const expectEachGradedOnce = async (
  behind: BehindTheApi,
  examId: string,
  count: number,
): Promise<void> => {
  const submissions = await behind.query<{ institute_id: string; price: number }>(
    `select s.institute_id, s.status, s.marks_revision, min(r.price)::float8 as price,
       json_agg(json_build_object('attempt', r.attempt, 'status', r.status)) as runs,
       (select json_agg(json_build_object('kind', e.kind, 'amount', e.amount) order by e.id)
        from credit_entries e join runs o on o.id = e.run_id where o.submission_id = s.id) as entries
     from submissions s join runs r on r.submission_id = s.id where s.exam_id = $1 group by s.id`,
    [examId],
  );
  expect(submissions).toHaveLength(count);
  for (const submission of submissions) {
    const { institute_id, price } = submission;
    expect(price).toBeGreaterThan(0);
    expect(submission).toEqual({
      institute_id,
      price,
      status: 'graded',
      marks_revision: 1,
      runs: [{ attempt: 1, status: 'completed' }],
      entries: [
        { kind: 'reserve', amount: price },
        { kind: 'charge', amount: price },
      ],
    });
  }
  await expectAccountAddsUp(behind, submissions[0]?.institute_id ?? '');
};

/** Waits until the run is over. Checks that it ended without marks: no charge, and the reservation refunded. */
export const expectReleased = async (
  api: ApiClient,
  behind: BehindTheApi,
  submissionId: string,
  code: string,
): Promise<void> => {
  const body = await untilOver(api, submissionId);
  const price = body.quote?.credits ?? 0;
  expect(body).toMatchObject({ status: 'failed', attempt_count: 1, credits_charged: null, error: { code } });
  const run = await behind.runOf(submissionId);
  expect(run).toMatchObject({ attempt: 1, status: 'failed' });
  expect(await behind.entriesOf(submissionId)).toEqual([
    { kind: 'reserve', amount: price },
    { kind: 'release', amount: price },
  ]);
  await expectAccountAddsUp(behind, run.institute_id);
};

/** Compares account and ledger in one statement, since other runs of the institute may end meanwhile. */
export const expectAccountAddsUp = async (behind: BehindTheApi, instituteId: string): Promise<void> => {
  const [account] = await behind.query(
    `select a.balance::float8 as balance, a.committed::float8 as committed,
       coalesce(sum(case e.kind when 'grant' then amount when 'charge' then -amount else 0 end), 0)::float8 as ledger_balance,
       coalesce(sum(case e.kind when 'reserve' then amount when 'grant' then 0 else -amount end), 0)::float8 as ledger_committed
     from credit_accounts a left join credit_entries e on e.institute_id = a.institute_id
     where a.institute_id = $1 group by a.institute_id`,
    [instituteId],
  );
  expect(account).toMatchObject({
    balance: account?.['ledger_balance'],
    committed: account?.['ledger_committed'],
  });
};
