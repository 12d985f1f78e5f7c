import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  makeGuideExam,
  markAsDeserved,
  type FabricatedSubmission,
  type GuideExam,
} from '../../../test/guideExam.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import { approveSubmission } from '../review/approveSubmission.ts';
import { finalizeExam } from '../review/finalizeExam.ts';
import { overrideMark } from '../review/overrideMark.ts';
import { withdrawMark } from '../review/withdrawMark.ts';
import { readResultOf } from '../../submissions/results.ts';
import { applyGuide, undoGuide } from './applyGuide.ts';
import { continueGuidePasses, workOnPass } from './passes.ts';
import { previewGuide } from './previewGuide.ts';
import { setGuide } from './settings.ts';
import { showGuide } from './showGuide.ts';
import { suggestMarks } from './suggestMarks.ts';

const { services, client, close } = await newTestCore();
const { database } = services;
afterAll(close);

/** Joins the guide's mark of a result `r` of submission `s`. */
const GUIDE_MARK = `left join lateral (select m.* from reviews m
  where m.submission_id = s.id and m.question_id = r.question_id and m.application > 0
  order by m.application desc limit 1) g on true`;

/** Every stored mark and flag of the exam's results, and the totals that the API would show. */
const stateOf = async ({ institute, exam }: GuideExam) => {
  const { rows: results } = await client.query<Record<string, unknown>>(
    `select r.run_id, r.question_id, r.status, coalesce(g.awarded, r.awarded)::float8 as awarded,
       coalesce(g.confidence, r.confidence) as confidence, r.source,
       coalesce(g.needs_review, r.needs_review) as needs_review,
       coalesce(g.review_reasons, r.review_reasons) as review_reasons, r.extracted_answer
     from question_results r join submissions s on s.current_run_id = r.run_id
     ${GUIDE_MARK}
     where s.institute_id = $1 and s.exam_id = $2 order by r.run_id, r.question_id`,
    [institute, exam],
  );
  const { rows: submissions } = await client.query<Record<string, unknown>>(
    `select id, status, needs_review, review_reasons, approved_at, finalized_at from submissions
     where institute_id = $1 and exam_id = $2 order by id`,
    [institute, exam],
  );
  return { results, submissions };
};

const override = (
  { actor, questions, submissions }: GuideExam,
  index: number,
  question: 0 | 1,
  awarded = submissions[index]?.deserved[question] ?? 0,
) =>
  overrideMark(services, actor, submissions[index]?.id ?? '', questions[question], {
    reviewer: 'teacher',
    awarded,
  });

/** An exam with mode `apply` whose teacher has marked the first answers of both questions. */
const taught = async (candidates: number, marked: number): Promise<GuideExam> => {
  const guide = await makeGuideExam(client, { candidates });
  await setGuide(services, guide.actor, guide.exam, { mode: 'apply' });
  await markAsDeserved(client, guide, marked);
  return guide;
};

/** Repeats a call until its step has ended; each call works for some seconds. */
const whole = async (work: () => ReturnType<typeof applyGuide>): ReturnType<typeof applyGuide> => {
  for (;;) {
    const shown = await work();
    if (shown.step !== 'applying' && shown.step !== 'undoing') return shown;
  }
};

const preview = ({ actor, exam }: GuideExam) => previewGuide(services, actor, exam, undefined);
const apply = ({ actor, exam }: GuideExam, number: number) =>
  whole(() => applyGuide(services, actor, exam, number));
const undo = ({ actor, exam }: GuideExam, number: number) =>
  whole(() => undoGuide(services, actor, exam, number));

/** Starts a pass of an application without working on it. */
const onlyStart = async ({ institute, exam }: GuideExam, number: number, pass: 'apply' | 'undo') => {
  await client.query(
    `update guide_applications set pass = $3, ended_at = null, after_candidate = null
     where exam_id = $1 and number = $2`,
    [exam, number, pass],
  );
  await client.query('update exam_guides set in_force = $2 where exam_id = $1', [
    exam,
    pass === 'apply' ? number : null,
  ]);
  return { institute_id: institute, exam_id: exam, number };
};

/** Rows of `reviews` that an application has written. */
const marksOf = async ({ exam }: GuideExam, number: number) =>
  (
    await client.query(
      `select m.* from reviews m join submissions s on s.id = m.submission_id
       where s.exam_id = $1 and m.application = $2`,
      [exam, number],
    )
  ).rows;

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
  if (to === 'approved') await approveSubmission(services, actor, submission.id, {});
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

describe('several teachers at once', () => {
  test('a mark given since the preview makes it stale', async () => {
    const guide = await taught(12, 4);
    await preview(guide);
    await override(guide, 6, 0);
    await expect(apply(guide, 1)).rejects.toMatchObject({
      failure: { code: 'conflict', message: expect.stringContaining('Preview again') },
    });
    expect(await preview(guide)).toMatchObject({ number: 2, step: 'previewed' });
    expect(await apply(guide, 2)).toMatchObject({ step: 'applied' });
  });

  test('the same preview applied twice at once is applied once', async () => {
    const guide = await taught(16, 4);
    const { preview: counted } = await preview(guide);
    await Promise.all([apply(guide, 1), apply(guide, 1), apply(guide, 1)]);
    expect(await marksOf(guide, 1)).toHaveLength(counted.written);
    expect(await apply(guide, 1)).toMatchObject({ step: 'applied', applied: counted });
  });

  test('of two previews applied at once at least one succeeds, and the other is applied before it or refused', async () => {
    const guide = await taught(12, 4);
    await preview(guide);
    await preview(guide);
    const outcomes = await Promise.allSettled([apply(guide, 1), apply(guide, 2)]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeLessThan(2);
    for (const { reason } of refused) expect(reason).toMatchObject({ failure: { code: 'conflict' } });
    const later = await preview(guide);
    expect(later.preview.written).toBe(0);
  });

  test('a preview is refused once a later one was applied', async () => {
    const guide = await taught(8, 4);
    await preview(guide);
    await preview(guide);
    await apply(guide, 2);
    await expect(apply(guide, 1)).rejects.toMatchObject({ failure: { code: 'conflict' } });
  });

  test('marks that a teacher changes or that are finalized after an application survive its undo', async () => {
    const guide = await taught(16, 4);
    await preview(guide);
    await apply(guide, 1);
    await override(guide, 10, 0, 3.5);
    const [approved, final] = [guide.submissions[11], guide.submissions[12]];
    await approveSubmission(services, guide.actor, approved?.id ?? '', {});
    await finalizeExam(services, guide.actor, guide.exam, { submission_ids: [final?.id ?? ''] });
    const after = await stateOf(guide);
    const undone = await undo(guide, 1);
    expect(undone.undone?.skipped).toEqual({ teacher: 3, finalized: 2 });
    const kept = new Set([approved?.run, final?.run]);
    const unchanged = (rows: typeof after.results) => rows.filter(({ run_id }) => kept.has(String(run_id)));
    const now = await stateOf(guide);
    expect(unchanged(now.results)).toEqual(unchanged(after.results));
  });

  test('a mark of the teacher over a mark of the guide can be withdrawn: before an undo the guide counts again, after it the grader', async () => {
    const guide = await taught(16, 4);
    const before = await stateOf(guide);
    await preview(guide);
    await apply(guide, 1);
    const after = await stateOf(guide);
    const withdraw = (edited: string | null) =>
      withdrawMark(
        services,
        guide.actor,
        { submission_id: guide.submissions[10]?.id ?? '', question_id: guide.questions[0] },
        { awarded: 3.5, edited_at: edited, approved: false },
      );
    const given = await override(guide, 10, 0, 3.5);
    await withdraw(given.review.edited_at);
    expect((await stateOf(guide)).results).toEqual(after.results);
    const again = await override(guide, 10, 0, 3.5);
    expect(await undo(guide, 1)).toMatchObject({ undone: { skipped: { teacher: 1 } } });
    const withdrawn = await withdraw(again.review.edited_at);
    expect(withdrawn).toMatchObject({ source: 'ai', review: { edited: false } });
    expect(await stateOf(guide)).toEqual(before);
    expect(await marksOf(guide, 1)).toEqual([]);
  });

  test('applications form a stack: undoing the second one restores the marks of the first one', async () => {
    const guide = await taught(16, 3);
    await preview(guide);
    await apply(guide, 1);
    const first = await stateOf(guide);
    await override(guide, 5, 0);
    await override(guide, 5, 1);
    const withOverride = await stateOf(guide);
    const second = await preview(guide);
    await expect(undo(guide, 2)).rejects.toMatchObject({ failure: { code: 'conflict' } });
    await apply(guide, second.number);
    expect((await stateOf(guide)).results).not.toEqual(first.results);
    await expect(undo(guide, 1)).rejects.toMatchObject({ failure: { code: 'conflict' } });
    await undo(guide, second.number);
    expect(await stateOf(guide)).toEqual(withOverride);
    expect((await showGuide(services, guide.actor, guide.exam)).in_force).toBe(1);
    expect(await undo(guide, 1)).toMatchObject({ step: 'undone', undone: { skipped: { teacher: 2 } } });
  });

  test('an undo waits for the undo of the later application, so no mark of either is left', async () => {
    const guide = await taught(16, 3);
    const before = await stateOf(guide);
    await preview(guide);
    await apply(guide, 1);
    await override(guide, 5, 0);
    const { number } = await preview(guide);
    await apply(guide, number);
    await onlyStart(guide, number, 'undo');
    await client.query('update exam_guides set in_force = 1 where exam_id = $1', [guide.exam]);
    await expect(undo(guide, 1)).rejects.toMatchObject({ failure: { code: 'conflict' } });
    await undo(guide, number);
    await undo(guide, 1);
    const open = ({ results }: typeof before) =>
      results.filter(({ run_id }) => run_id !== guide.submissions[5]?.run);
    expect(open(await stateOf(guide))).toEqual(open(before));
  });
});

describe('versions and modes', () => {
  test('decisions in a row make one version, and an unchanged guide keeps its version', async () => {
    const guide = await taught(8, 3);
    const versionsOf = async () =>
      (await showGuide(services, guide.actor, guide.exam)).questions.map(({ version, examples }) => [
        version,
        examples,
      ]);
    expect(await versionsOf()).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(await versionsOf()).toEqual([
      [1, 3],
      [1, 3],
    ]);
    await override(guide, 4, 0);
    await override(guide, 5, 0);
    expect(await versionsOf()).toEqual([
      [2, 5],
      [1, 3],
    ]);
    await approveSubmission(services, guide.actor, guide.submissions[7]?.id ?? '', {});
    expect(await versionsOf()).toEqual([
      [3, 6],
      [2, 4],
    ]);
    await expect(
      client.query(`set session_replication_role = origin; delete from guide_versions`),
    ).rejects.toThrow('append-only');
    await client.query('set session_replication_role = replica');
  });

  test('an answer that may address the grader is not an example', async () => {
    const guide = await taught(8, 4);
    await client.query(
      `update question_results set review_reasons = '{possible_injection}' where run_id = $1 and question_id = $2`,
      [guide.submissions[0]?.run, guide.questions[0]],
    );
    const { questions } = await showGuide(services, guide.actor, guide.exam);
    const examplesOf = (id: string) => questions.find(({ question_id }) => question_id === id)?.examples;
    expect(guide.questions.map(examplesOf)).toEqual([3, 4]);
  });

  test('many readers at once make each version once', async () => {
    const guide = await taught(8, 3);
    const shown = await Promise.all(
      Array.from({ length: 8 }, () => showGuide(services, guide.actor, guide.exam)),
    );
    expect(new Set(shown.map(({ questions }) => JSON.stringify(questions))).size).toBe(1);
    const { rows } = await client.query('select * from guide_versions where exam_id = $1', [guide.exam]);
    expect(rows).toHaveLength(2);
  });

  test('suggestions show mark, guide and nearest examples, page by page, and change nothing', async () => {
    const guide = await taught(12, 4);
    const before = await stateOf(guide);
    const [question_id] = guide.questions;
    const found = [];
    for (let cursor: string | undefined; ;) {
      const page = await suggestMarks(services, guide.actor, guide.exam, {
        question_id,
        limit: 5,
        ...(cursor === undefined ? {} : { cursor }),
      });
      found.push(...page.data);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(new Set(found.map(({ submission_id }) => submission_id)).size).toBe(12);
    expect(found.filter(({ skipped }) => skipped === 'teacher')).toHaveLength(4);
    const open = found.filter(({ suggestion }) => suggestion !== null);
    expect(open).toHaveLength(8);
    for (const { mark, suggestion, grader } of open) {
      expect(mark).toMatchObject({ by: 'grader', awarded: grader });
      expect(suggestion?.agreement).toBeGreaterThan(0);
      expect(suggestion?.nearest.length).toBeGreaterThan(0);
      expect(suggestion?.nearest[0]?.answer).not.toBe('');
    }
    expect(await stateOf(guide)).toEqual(before);
  });

  test('with mode off nothing is suggested or previewed, and with mode suggest nothing is applied', async () => {
    const guide = await makeGuideExam(client, { candidates: 4 });
    expect(await showGuide(services, guide.actor, guide.exam)).toMatchObject({ mode: 'off', target: 0.95 });
    const refused = { failure: { code: 'conflict' } };
    await expect(preview(guide)).rejects.toMatchObject(refused);
    const query = { question_id: guide.questions[0] };
    await expect(suggestMarks(services, guide.actor, guide.exam, query)).rejects.toMatchObject(refused);
    await setGuide(services, guide.actor, guide.exam, { mode: 'suggest', target: 0.9 });
    await override(guide, 0, 0);
    await preview(guide);
    await expect(apply(guide, 1)).rejects.toMatchObject(refused);
    const { rows } = await client.query(
      `select event, before, after from guide_events where exam_id = $1 and event = 'settings'`,
      [guide.exam],
    );
    expect(rows).toMatchObject([
      { before: { mode: 'off', target: 0.95 }, after: { mode: 'suggest', target: 0.9 } },
    ]);
  });

  test('exam, question and preview of another institute are missing', async () => {
    const guide = await taught(4, 2);
    await preview(guide);
    const other = { ...guide, actor: { ...guide.actor, institute_id: randomUUID() } };
    const missing = { failure: { code: 'exam_not_found' } };
    await expect(preview(other)).rejects.toMatchObject(missing);
    await expect(apply(other, 1)).rejects.toMatchObject(missing);
    await expect(undo(other, 1)).rejects.toMatchObject(missing);
    await expect(showGuide(services, other.actor, other.exam)).rejects.toMatchObject(missing);
    await expect(setGuide(services, other.actor, other.exam, { mode: 'off' })).rejects.toMatchObject(missing);
    const foreign = await makeGuideExam(client, { candidates: 1 });
    const query = { question_id: foreign.questions[0] };
    await expect(suggestMarks(services, guide.actor, guide.exam, query)).rejects.toMatchObject({
      failure: { code: 'not_found' },
    });
    await expect(apply(guide, 7)).rejects.toMatchObject({ failure: { code: 'not_found' } });
  });
});
