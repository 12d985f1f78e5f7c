import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { openTerminal } from '../../cli/terminal.ts';
import { createExam, submit, untilOver } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { startService } from '../../harness/service.ts';
import { gradeRun, takeRun } from '../../harness/takeRun.ts';
import { newTenant, startIdleService, type Tenant } from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));

const findingsOf = async ({ instituteId }: Tenant, server = service) => {
  const { findings } = await server.control.as({}).control.reconcile.query({ institute_id: instituteId });
  return findings;
};

const answersTo = (...labels: string[]): object[] =>
  labels.map((label) => ({ question_label: label, text: 'Because of this.' }));

interface SoundInstitute {
  tenant: Tenant;
  exam: Exam;
  /** Graded and charged 2. */
  graded: Submission;
  /** Queued, with 1 reserved. */
  queued: Submission;
  /** Objective answers only: graded at once, without a charge. */
  free: Submission;
}

/** An institute without differences, with submissions in each state of its credits. */
const newSoundInstitute = async (): Promise<SoundInstitute> => {
  const tenant = await newTenant(service, { credits: 20 });
  const exam = await createExam(tenant.api, typedExam([mcq('0'), longAnswer('1'), longAnswer('2')]));
  const handIn = (answers: object[]) =>
    submit(tenant.api, exam.id, { candidate: { external_id: randomUUID() }, answers });
  const graded = await handIn(answersTo('1', '2'));
  await gradeRun(service, graded.id);
  const failed = await handIn(answersTo('1'));
  expect(await (await takeRun(service, failed.id)).fail('timed_out')).toBe('ok');
  const cancelled = await handIn(answersTo('1'));
  expect((await tenant.api.post(`/submissions/${cancelled.id}/cancel`)).status).toBe(200);
  return { tenant, exam, graded, queued: await handIn(answersTo('2')), free: await handIn([]) };
};

/** Statements in one transaction with triggers and foreign keys disabled. */
const tamper = (statements: string) =>
  behind(service.database, `set session_replication_role = replica; ${statements}`);

const runOf = ({ id }: Submission) => `(select current_run_id from submissions where id = '${id}')`;

/** An entry that the service would not write, with the account changed to match. */
const entry = ({ tenant }: SoundInstitute, kind: string, run: string, amount: number): string => {
  const by = { reserve: [0, 1], charge: [-1, -1], release: [0, -1] }[kind] ?? [0, 0];
  return `
    with changed as (
      update credit_accounts set balance = balance + ${amount * (by[0] ?? 0)}, committed = committed + ${amount * (by[1] ?? 0)}
      where institute_id = '${tenant.instituteId}' returning balance, committed)
    insert into credit_entries (institute_id, kind, amount, run_id, balance_after, committed_after)
    select '${tenant.instituteId}', '${kind}', ${amount}, ${run}, balance, committed from changed;`;
};

const account = ({ tenant }: SoundInstitute, change: string): string =>
  `update credit_accounts set ${change} where institute_id = '${tenant.instituteId}'`;
const exam = ({ exam: { id } }: SoundInstitute, change: string): string =>
  `update exams set ${change} where id = '${id}'`;
const submission = ({ id }: Submission, change: string): string =>
  `update submissions set ${change} where id = '${id}';`;
const run = (target: Submission, change: string): string =>
  `update runs set ${change} where id = ${runOf(target)};`;
/** Moves rows to yesterday noon, so that no midnight lies between the copies and their runs. */
const yesterday = ({ tenant: { instituteId } }: SoundInstitute): string => `
  update runs set queued_at = date_trunc('day', clock_timestamp(), 'UTC') - interval '12 hours' where institute_id = '${instituteId}';
  update daily_copies set day = to_char(day::date - 1, 'YYYY-MM-DD') where institute_id = '${instituteId}';`;
const copies = (institute: SoundInstitute, change: string): string =>
  `${yesterday(institute)} update daily_copies set copies = copies ${change} where institute_id = '${institute.tenant.instituteId}'`;

const breaks: [string, (institute: SoundInstitute) => string][] = [
  [
    'account_missing',
    ({ tenant }) => `delete from credit_accounts where institute_id = '${tenant.instituteId}'`,
  ],
  ['balance_differs', (institute) => account(institute, 'balance = balance + 0.0001')],
  ['committed_differs', (institute) => account(institute, 'committed = committed + 1')],
  [
    'chain_broken',
    ({ tenant }) => `update credit_entries set committed_after = committed_after + 1
      where id = (select max(id) from credit_entries where institute_id = '${tenant.instituteId}')`,
  ],
  ['entry_without_run', (institute) => entry(institute, 'reserve', `'${randomUUID()}'`, 1)],
  [
    'charged_but_not_completed',
    ({ graded }) =>
      run(graded, `status = 'failed'`) + submission(graded, `status = 'failed', credits_charged = null`),
  ],
  [
    'completed_but_released',
    (institute) =>
      entry(institute, 'release', runOf(institute.queued), 1) +
      run(institute.queued, `status = 'completed'`) +
      submission(institute.queued, `status = 'graded', credits_charged = 0`),
  ],
  ['released_while_active', (institute) => entry(institute, 'release', runOf(institute.queued), 1)],
  ['not_reserved', ({ free }) => run(free, 'price = 3')],
  [
    'reservation_left_open',
    ({ queued }) => run(queued, `status = 'failed'`) + submission(queued, `status = 'failed'`),
  ],
  ['amount_differs', ({ graded }) => run(graded, 'price = price + 1')],
  ['current_run_missing', ({ graded }) => submission(graded, `current_run_id = '${randomUUID()}'`)],
  ['status_contradicts_run', ({ graded }) => submission(graded, `status = 'queued'`)],
  ['credits_charged_differs', ({ graded }) => submission(graded, 'credits_charged = 3')],
  [
    'run_of_gone_submission',
    (institute) =>
      submission(institute.queued, `state = 'deleted'`) +
      exam(institute, 'live_submissions = live_submissions - 1, live_unfinalized = live_unfinalized - 1'),
  ],
  [
    'stray_run',
    ({
      graded,
      tenant,
    }) => `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, queued_at)
      values ('${randomUUID()}', '${tenant.instituteId}', '${graded.id}', 'typed', 2, 'queued', 0, now() - interval '3 days')`,
  ],
  ['live_submissions_differ', (institute) => exam(institute, 'live_submissions = live_submissions + 1')],
  ['live_unfinalized_differ', (institute) => exam(institute, 'live_unfinalized = live_unfinalized - 1')],
  ['copies_uncounted', (institute) => copies(institute, '- 1')],
  ['copies_overcounted', (institute) => copies(institute, '+ 1')],
  [
    'copies_of_keys_exceed',
    (institute) => `${yesterday(institute)} insert into daily_copies
      select institute_id, '${randomUUID()}', day, copies + 1 from daily_copies
      where institute_id = '${institute.tenant.instituteId}' and counter_id = institute_id`,
  ],
];

const TAMPERED = ['credit_accounts', 'credit_entries', 'exams', 'submissions', 'runs', 'daily_copies'];

describe('the reconciler', () => {
  // One institute for all tests: after each test its rows are restored.
  let institute: SoundInstitute;
  beforeAll(async () => {
    institute = await newSoundInstitute();
    await tamper(
      `create schema sound; ${TAMPERED.map(
        (table) => `create table sound.${table} as
        select * from ${table} where institute_id = '${institute.tenant.instituteId}'`,
      ).join(';')}`,
    );
  });
  afterEach(() =>
    tamper(
      TAMPERED.map(
        (table) => `delete from ${table} where institute_id = '${institute.tenant.instituteId}';
          insert into ${table} select * from sound.${table}`,
      ).join(';'),
    ),
  );

  test('reports nothing for submissions in every state without differences', async () => {
    await tamper(yesterday(institute));
    expect(await findingsOf(institute.tenant)).toEqual([]);
  });

  test.each(breaks)('reports %s and nothing else, and repairs nothing', async (finding, break_) => {
    expect(await findingsOf(institute.tenant)).toEqual([]);
    await tamper(break_(institute));
    const found = await findingsOf(institute.tenant);
    expect(found).toMatchObject([{ institute_id: institute.tenant.instituteId, finding, total: 1 }]);
    expect(found[0]?.expected).not.toBe(found[0]?.found);
    expect(await findingsOf(institute.tenant)).toEqual(found);
  });

  test('lists only the first few findings of a kind, with their total number', async () => {
    await tamper(
      Array.from({ length: 25 }, () => entry(institute, 'reserve', `'${randomUUID()}'`, 0.1)).join(''),
    );
    const found = await findingsOf(institute.tenant);
    expect(found).toHaveLength(20);
    expect(new Set(found.map(({ finding, total }) => `${finding} ${total}`))).toEqual(
      new Set(['entry_without_run 25']),
    );
  });

  test('an unknown institute answers not_found', async () => {
    const asked = service.control.as({}).control.reconcile.query({ institute_id: randomUUID() });
    await expect(asked).rejects.toMatchObject({ data: { failure: { code: 'not_found' } } });
  });

  test('npm run admin -- reconcile exits with 1 and a JSON object of the findings, or with 0 if there are none', async () => {
    const { tenant: sound } = await newSoundInstitute();
    await tamper(account(institute, 'balance = balance - 1'));
    const terminal = await openTerminal('admin', { DATA_DIR: service.environment['DATA_DIR'] ?? '' });
    onTestFinished(() => terminal.close());
    const reconcile = (...options: string[]) => terminal.run(['reconcile', ...options]);
    expect(await reconcile('--institute', sound.instituteId, '--json')).toEqual({
      code: 0,
      stdout: '{"institutes":1,"findings":[]}\n',
      stderr: '',
    });
    const one = await reconcile('--institute', institute.tenant.instituteId);
    expect(one).toMatchObject({ code: 1, stdout: expect.stringMatching(/^balance_differs {2}.*expected: /) });
    const all = await reconcile('--json');
    expect(all.code).toBe(1);
    const { institutes, findings } = JSON.parse(all.stdout) as {
      institutes: number;
      findings: { institute_id: string }[];
    };
    expect(institutes).toBeGreaterThan(2);
    const named = findings.map(({ institute_id }) => institute_id);
    expect(named).toContain(institute.tenant.instituteId);
    expect(named).not.toContain(sound.instituteId);
    expect(JSON.parse(all.stderr)).toMatchObject({ error: { code: 'does_not_add_up' } });
  });

  // Last in this file: the dropped indexes are not restored.
  test.each([
    ['settled_twice', 'credit_entries_settled', 'release', ({ graded }: SoundInstitute) => graded],
    ['reserved_twice', 'credit_entries_reserved', 'reserve', ({ queued }: SoundInstitute) => queued],
  ] as const)(
    'reports %s after the index that prevents it was dropped',
    async (finding, index, kind, which) => {
      await tamper(`drop index ${index}; ${entry(institute, kind, runOf(which(institute)), 1)}`);
      expect(await findingsOf(institute.tenant)).toContainEqual(
        expect.objectContaining({ institute_id: institute.tenant.instituteId, finding, total: 1 }),
      );
    },
  );
});

test('reports nothing during submissions, gradings, cancellations and replacements', async () => {
  const busy = await startService();
  try {
    const tenant = await newTenant(busy, { credits: 40 });
    const paper = await createExam(tenant.api, typedExam([mcq('0'), longAnswer('1'), longAnswer('2')]));
    const path = `/exams/${paper.id}/submissions`;
    let going = true;
    let rounds = 0;
    const reconciling = (async () => {
      while (going) {
        expect(await findingsOf(tenant, busy)).toEqual([]);
        rounds += 1;
      }
    })();
    const hand = async (number: number): Promise<void> => {
      for (let copy = 0; copy < 6; copy += 1) {
        const candidate = { external_id: `${number}-${copy}` };
        const body = { candidate, answers: answersTo('1', '2') };
        const { status, body: made } = await tenant.api.post<Submission>(path, body);
        // The credits may run out; the answer 402 is expected then.
        if (status === 402) continue;
        if (copy % 3 === 0) await tenant.api.post(`/submissions/${made.id}/cancel`);
        if (copy % 3 === 1) await tenant.api.post(path, { ...body, replace: true });
        if (copy % 3 === 2) await untilOver(tenant.api, made.id);
      }
    };
    const hands = Promise.all(Array.from({ length: 5 }, (_, number) => hand(number)));
    await Promise.all([reconciling, hands.finally(() => (going = false))]);
    expect(rounds).toBeGreaterThan(3);
  } finally {
    await busy.close();
  }
});
