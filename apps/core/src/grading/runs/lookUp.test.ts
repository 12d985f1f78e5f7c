import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { TOKEN, TOKEN_SHA256 } from '../../../test/claimToken.ts';
import { usedUp } from '../../../test/usedUp.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import type { HeldRun } from '../../command/locks/heldRun.ts';
import { NOTHING, recordBatch } from './record.ts';
import type { RecordedBatch } from './recordedBatch.ts';

const LEASE_SECONDS = 300;
const { services, client: maker, close } = await newTestCore({ LEASE_SECONDS: String(LEASE_SECONDS) });
afterAll(close);

const institute = randomUUID();
const key = 'a'.repeat(64);
beforeEach(() => maker.query('truncate submissions, judgements cascade'));

interface Claim {
  status?: 'processing' | 'grading';
  /** Seconds that are left of the lease. */
  left?: number;
  calls?: number | null;
}

const claimed = async ({ status = 'grading', left = 290, calls = null }: Claim = {}): Promise<HeldRun> => {
  const [run, submission] = [randomUUID(), randomUUID()];
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, review_reasons, current_run_id,
       questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     values ($1, $2, $3, $4, $5, 'typed', '{}', $6, 1, 'answer', 1, 'standard', '[]')`,
    [submission, institute, randomUUID(), randomUUID(), status, run],
  );
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, fence, claim_token_sha256, price, paper,
       lease_until, usage)
     values ($1, $2, $3, 'typed', 1, 'claimed', 1, $6, 1, '{"questions": []}', now() + make_interval(secs => $4), $5)`,
    [
      run,
      institute,
      submission,
      left,
      calls === null ? null : JSON.stringify({ calls, duration_ms: 0 }),
      TOKEN_SHA256,
    ],
  );
  return { run_id: run, institute_id: institute, fence: 1, token: TOKEN };
};

/** The rows' versions: a write of any column changes them. */
const versions = async ({ run_id }: HeldRun): Promise<unknown> => {
  const { rows } = await maker.query<object>(
    `select r.xmin::text as run, s.xmin::text as submission from runs r join submissions s on s.id = r.submission_id
     where r.id = $1`,
    [run_id],
  );
  return rows;
};

const lookUp = (run: HeldRun, more: Partial<RecordedBatch> = {}) =>
  recordBatch(services, run, { ...NOTHING, find: [key], ...more });

test('a look for judgements writes nothing, and finds them', async () => {
  const run = await claimed();
  await maker.query(
    `insert into judgements (institute_id, key, run_id, question_id, evidence) values ($1, $2, $3, $4, '["said"]')`,
    [institute, key, run.run_id, randomUUID()],
  );
  const before = await versions(run);
  const { found } = await lookUp(run, { step: 'grading', used: usedUp(0) });
  expect(found).toEqual([{ key, run_id: run.run_id, evidence: ['said'] }]);
  expect(await versions(run)).toEqual(before);
});

test.each([
  ['a step that moves the status', { status: 'processing' }, { step: 'grading' }],
  ['calls that are not stored', { calls: 2 }, { used: usedUp(3) }],
  ['less than two thirds of the lease', { left: LEASE_SECONDS * 0.6 }, {}],
] as const)('a look with %s is written, and extends the lease', async (_, claim, more) => {
  const run = await claimed(claim);
  expect((await lookUp(run, more)).found).toEqual([]);
  const { rows } = await maker.query<object>(
    `select s.status, (r.usage->>'calls')::int as calls, r.lease_until > now() + interval '295 s' as is_extended
     from runs r join submissions s on s.id = r.submission_id where r.id = $1`,
    [run.run_id],
  );
  const calls = 'used' in more ? more.used.usage.calls : null;
  expect(rows).toEqual([{ status: 'grading', calls, is_extended: true }]);
});

test('a look for a run that another worker holds is refused', async () => {
  const run = await claimed();
  await expect(lookUp({ ...run, fence: 2 })).rejects.toMatchObject({ failure: { code: 'conflict' } });
});
