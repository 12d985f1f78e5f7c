import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { approveSeen } from '../../../test/approveSeen.ts';
import { type FabricatedSubmission, type GuideExam } from '../../../test/guideExam.ts';
import { finalizeExam } from '../review/finalizeExam.ts';
import { overrideMark } from '../review/overrideMark.ts';
import { readResultOf } from '../../submissions/results.ts';
import { continueGuidePasses, workOnPass } from './passes.ts';
import { showGuide } from './showGuide.ts';
import { GUIDE_MARK, guideCalls } from '../../../test/guideCalls.ts';

const { services, client, stateOf, taught, preview, apply, undo, onlyStart, marksOf } = await guideCalls();
const { database } = services;

test('apply sets the previewed marks, and undo restores every mark, flag and confidence exactly', async () => {
  const guide = await taught(24, 8);
  const before = await stateOf(guide);
  const previewed = await preview(guide);
  expect(previewed).toMatchObject({ number: 1, step: 'previewed', applied: null, undone: null });
  expect(previewed.preview).toMatchObject({
    results: 72,
    credits: 0,
    skipped: { objective: 24, teacher: 16 },
  });
  expect(previewed.preview.changed).toBeGreaterThan(10);
  expect(await stateOf(guide)).toEqual(before);

  const applied = await apply(guide, 1);
  expect(applied).toMatchObject({ step: 'applied', applied: previewed.preview });
  const after = await stateOf(guide);
  expect(after).not.toEqual(before);
  const { rows: audited } = await client.query(
    `select * from audit_entries where exam_id = $1 and action = 'guide_apply' and staff_role = 'admin'
       and key_id = $2`,
    [guide.exam, guide.actor.key_id],
  );
  expect(audited).toHaveLength(previewed.preview.written);
  // A repetition changes nothing.
  expect(await apply(guide, 1)).toEqual(applied);
  expect(await stateOf(guide)).toEqual(after);

  const undone = await undo(guide, 1);
  expect(undone).toMatchObject({
    step: 'undone',
    undone: {
      written: applied.applied?.written,
      difference: -(applied.applied?.difference ?? 0),
      skipped: {},
    },
  });
  expect(await stateOf(guide)).toEqual(before);
  expect(await undo(guide, 1)).toEqual(undone);
  expect((await showGuide(services, guide.actor, guide.exam)).in_force).toBeNull();
});

test('guided marks are closer to the teacher than the grader was', async () => {
  const guide = await taught(48, 16);
  const distance = async (): Promise<number> => {
    const { rows } = await client.query<{ run_id: string; awarded: string }>(
      `select r.run_id, coalesce(g.awarded, r.awarded) as awarded
       from question_results r join submissions s on s.current_run_id = r.run_id ${GUIDE_MARK}
       where r.question_id = $1`,
      [guide.questions[0]],
    );
    const stored = new Map(rows.map(({ run_id, awarded }) => [run_id, Number(awarded)]));
    return guide.submissions
      .slice(16)
      .reduce((sum, { run, deserved: [first] }) => sum + Math.abs((stored.get(run) ?? 0) - first), 0);
  };
  const before = await distance();
  await preview(guide);
  await apply(guide, 1);
  expect(await distance()).toBeLessThan(before * 0.6);
});

type Standing = 'plain' | 'overridden' | 'approved' | 'finalized' | 'textless' | 'failed' | 'queued';
const standing = fc.constantFrom<Standing>(
  'plain',
  'plain',
  'plain',
  'overridden',
  'approved',
  'finalized',
  'textless',
  'failed',
  'queued',
);

const bring = async (guide: GuideExam, submission: FabricatedSubmission, to: Standing): Promise<void> => {
  const { actor, exam, questions } = guide;
  if (to === 'overridden') {
    const body = { reviewer: 'teacher', awarded: submission.deserved[0] };
    await overrideMark(services, actor, submission.id, questions[0], body);
  }
  if (to === 'approved') await approveSeen(services, actor, submission.id);
  if (to === 'finalized') await finalizeExam(services, actor, exam, { submission_ids: [submission.id] });
  if (to === 'textless') {
    await client.query('update question_results set extracted_answer = null where run_id = $1', [
      submission.run,
    ]);
  }
  if (to === 'failed') {
    await client.query(
      `update question_results set status = 'failed', awarded = null, source = null, confidence = null,
         error = '{"code":"grading_failed","message":"No."}' where run_id = $1 and question_id = $2`,
      [submission.run, questions[1]],
    );
    await client.query(`update submissions set status = 'partially_graded' where id = $1`, [submission.id]);
  }
  if (to === 'queued') {
    await client.query(`update submissions set status = 'queued' where id = $1`, [submission.id]);
  }
};

test('marks of teachers, finalized results and objective questions are never touched, and totals stay exact', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(standing, { minLength: 16, maxLength: 16 }), async (standings) => {
      const guide = await taught(20, 4);
      for (const [index, to] of standings.entries()) {
        const submission = guide.submissions[index + 4];
        if (submission !== undefined) await bring(guide, submission, to);
      }
      const before = await stateOf(guide);
      const totalsOf = (id: string) =>
        database.inTenant(
          guide.institute,
          async (tx) => (await readResultOf(tx, guide.institute, id)).totals,
        );
      const { number } = await preview(guide);
      await apply(guide, number);
      const after = await stateOf(guide);
      const kept = new Set(
        guide.submissions.flatMap(({ run, id }, index) => {
          const to = index < 4 ? 'taught' : (standings[index - 4] ?? 'plain');
          if (to === 'taught') return [`${run} ${guide.questions[0]}`, `${run} ${guide.questions[1]}`];
          if (to === 'overridden') return [`${run} ${guide.questions[0]}`];
          if (to === 'failed') return [`${run} ${guide.questions[1]}`];
          return to === 'plain' || id === ''
            ? []
            : [`${run} ${guide.questions[0]}`, `${run} ${guide.questions[1]}`];
        }),
      );
      for (const [place, row] of after.results.entries()) {
        const name = `${String(row.run_id)} ${String(row.question_id)}`;
        if (kept.has(name) || row.question_id === guide.objective) expect(row).toEqual(before.results[place]);
        if (row.source === 'ai') expect(Number(row.awarded) % 0.5).toBe(0);
      }
      for (const { id, run } of guide.submissions) {
        const { rows } = await client.query<{ sum: string }>(
          `select sum(coalesce(v.awarded, g.awarded, r.awarded, 0)) as sum from question_results r
             join submissions s on s.id = $2 ${GUIDE_MARK}
             left join reviews v on v.submission_id = s.id and v.question_id = r.question_id and v.application = 0
           where r.run_id = $1`,
          [run, id],
        );
        const { status } = (
          await client.query<{ status: string }>('select status from submissions where id = $1', [id])
        ).rows[0] ?? { status: '' };
        if (status !== 'queued') expect((await totalsOf(id)).awarded).toBe(Number(rows[0]?.sum));
      }
      await undo(guide, number);
      expect(await stateOf(guide)).toEqual(before);
    }),
    { numRuns: 4 },
  );
});

test.each([
  ['openai', 'guide/2'],
  ['baseline', 'guide/1'],
])(
  'a guide of marks by %s has the constants %s, because a model may obey a demand in an answer and the baseline does not',
  async (provider, version) => {
    const guide = await taught(12, 10);
    await client.query(
      `update runs set grader = $2 where id in (select current_run_id from submissions where exam_id = $1)`,
      [guide.exam, { provider, model: 'm', prompt_versions: [] }],
    );
    await preview(guide);
    const { rows } = await client.query<{ version: string }>(
      `select distinct constants ->> 'version' as version from guide_versions where exam_id = $1`,
      [guide.exam],
    );
    expect(rows).toEqual([{ version }]);
  },
);

describe('an interrupted pass', () => {
  /** Works on a pass until transaction `last` begins. */
  const workUntilTransaction = async (last: number, pass: Parameters<typeof workOnPass>[1]) => {
    const stopping = new AbortController();
    let transactions = 0;
    const stopped = {
      database: {
        ...database,
        inTenant: <T>(...call: Parameters<typeof database.inTenant<T>>) => {
          transactions += 1;
          if (transactions === last) stopping.abort();
          return database.inTenant(...call);
        },
      },
    };
    await workOnPass(stopped, pass, { ms: 60_000, signal: stopping.signal });
  };

  test('continues where it stopped, in two processes at once, and changes nothing twice', async () => {
    const guide = await taught(60, 6);
    const before = await stateOf(guide);
    const { preview: counted } = await preview(guide);
    const pass = await onlyStart(guide, 1, 'apply');
    await workUntilTransaction(2, pass);
    const half = await marksOf(guide, 1);
    expect(half.length).toBeGreaterThan(0);
    expect(half.length).toBeLessThan(counted.written);

    const open = new AbortController().signal;
    await Promise.all([
      continueGuidePasses(services, open, 0),
      workOnPass(services, pass, { ms: 60_000 }),
      workOnPass(services, pass, { ms: 60_000 }),
    ]);
    expect(await apply(guide, 1)).toMatchObject({ step: 'applied', applied: counted });
    const { rows: entries } = await client.query(
      `select from audit_entries where exam_id = $1 and action = 'guide_apply'`,
      [guide.exam],
    );
    expect(entries).toHaveLength(counted.written);
    expect(await marksOf(guide, 1)).toHaveLength(counted.written);

    await onlyStart(guide, 1, 'undo');
    await Promise.all([
      workOnPass(services, pass, { ms: 60_000 }),
      workOnPass(services, pass, { ms: 60_000 }),
    ]);
    expect(await undo(guide, 1)).toMatchObject({ step: 'undone', undone: { written: counted.written } });
    expect(await stateOf(guide)).toEqual(before);
  });

  test('an application can be undone before its pass has ended', async () => {
    const guide = await taught(40, 5);
    const before = await stateOf(guide);
    await preview(guide);
    await workUntilTransaction(1, await onlyStart(guide, 1, 'apply'));
    expect(await marksOf(guide, 1)).not.toEqual([]);
    expect(await undo(guide, 1)).toMatchObject({ step: 'undone' });
    expect(await stateOf(guide)).toEqual(before);
  });
});
