import { randomUUID } from 'node:crypto';
import { AUDITED_SHARE, isDrawnForAudit } from '@evaluation/guide';
import { afterAll, expect, test } from 'vitest';
import { makeGuideExam, markAsDeserved, type GuideExam } from '../../../test/guideExam.ts';
import { TOKEN, TOKEN_SHA256 } from '../../../test/claimToken.ts';
import { usedUp } from '../../../test/usedUp.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import { overrideMark } from '../review/overrideMark.ts';
import { reEvaluate } from '../review/reEvaluate.ts';
import type { Completion } from '../../grading/runs/completion.ts';
import { NOTHING, recordBatch } from '../../grading/runs/record.ts';
import { applyGuide, undoGuide } from './applyGuide.ts';
import { previewGuide } from './previewGuide.ts';
import { setGuide } from './settings.ts';
import { showGuide } from './showGuide.ts';

const { services, client, close } = await newTestCore();
afterAll(close);

/** The teacher has given the first `marked` answers of both questions the marks that they deserve. */
const taught = async (candidates: number, marked: number): Promise<GuideExam> => {
  const guide = await makeGuideExam(client, { candidates });
  await markAsDeserved(client, guide, marked);
  await setGuide(services, guide.actor, guide.exam, { mode: 'apply', target: 0.8 });
  return guide;
};

/** Previews and applies; a call works for some seconds, so a slow machine repeats it. */
const applied = async ({ actor, exam }: GuideExam) => {
  let shown = await previewGuide(services, actor, exam, undefined);
  while (shown.step === 'previewing') shown = await previewGuide(services, actor, exam, shown.number);
  do {
    shown = await applyGuide(services, actor, exam, shown.number);
  } while (shown.step === 'applying');
  return shown;
};

const reasonsOf = async ({ exam }: GuideExam) => {
  const { rows } = await client.query<{
    submission_id: string;
    question_id: string;
    awarded: string;
    confidence: string;
    needs_review: boolean;
    review_reasons: string[];
    passes: boolean;
    audited: boolean;
  }>(
    `select distinct on (m.submission_id, m.question_id) m.submission_id, m.question_id, m.awarded, m.confidence,
       m.needs_review, m.review_reasons, 'guide_audit' = any(m.review_reasons) as audited,
       not 'baseline_grader' = any(m.review_reasons) as passes
     from reviews m join submissions s on s.id = m.submission_id
     where s.exam_id = $1 and m.application > 0
     order by m.submission_id, m.question_id, m.application desc`,
    [exam],
  );
  return rows;
};

test('below 30 examples no mark passes without review', async () => {
  const guide = await taught(30, 14);
  const { passing, applied: tally } = await applied(guide);
  expect(passing).toMatchObject({ examples: 28, threshold: null, target: 0.8 });
  expect(tally).toMatchObject({ passing: 0, audited: 0 });
  for (const row of await reasonsOf(guide)) {
    expect(row).toMatchObject({ needs_review: true, passes: false });
    expect(row.review_reasons).toContain('baseline_grader');
  }
});

test('marks that pass lose the flag; a draw of them keeps it for the audit, the same in each repetition', async () => {
  const guide = await taught(120, 30);
  const { passing, applied: tally, versions } = await applied(guide);
  expect(passing.examples).toBe(60);
  expect(passing.threshold).not.toBeNull();
  expect(passing.lower_bound).toBeGreaterThanOrEqual(0.8);
  const rows = await reasonsOf(guide);
  const passed = rows.filter(({ passes }) => passes);
  expect(passed.length).toBeGreaterThan(20);
  expect(tally).toMatchObject({
    passing: passed.length,
    audited: passed.filter(({ audited }) => audited).length,
  });
  const { rows: hashes } = await client.query<{ question_id: string; version: number; sha256: string }>(
    'select question_id, version, sha256 from guide_versions where exam_id = $1',
    [guide.exam],
  );
  const runs = new Map(guide.submissions.map(({ id, run }) => [id, run]));
  for (const row of rows) {
    const hash = hashes.find(
      ({ question_id, version }) => question_id === row.question_id && version === versions[row.question_id],
    );
    const drawn = isDrawnForAudit(hash?.sha256 ?? '', {
      run_id: runs.get(row.submission_id) ?? '',
      question_id: row.question_id,
    });
    expect(row.audited).toBe(row.passes && drawn);
    expect(Number(row.confidence) < 0.6).toBe(row.review_reasons.includes('low_confidence'));
    if (row.passes) {
      expect(row.review_reasons).toEqual(drawn ? ['guide_audit'] : []);
      expect(row.needs_review).toBe(drawn);
    } else {
      expect(row.needs_review).toBe(true);
    }
  }
});

test('the draw takes about 5 % of the results', () => {
  const results = Array.from({ length: 20_000 }, () => ({ run_id: randomUUID(), question_id: randomUUID() }));
  const drawn = results.filter((result) => isDrawnForAudit('a'.repeat(64), result)).length;
  expect(Math.abs(drawn / results.length - AUDITED_SHARE)).toBeLessThan(0.01);
});

/** Draws `count` of the marks that pass for the audit, besides those that were drawn. */
const drawFurther = async (guide: GuideExam, count: number) => {
  await client.query(
    `update reviews set review_reasons = '{guide_audit}', needs_review = true
     where application > 0 and (submission_id, question_id) in (
       select m.submission_id, m.question_id from reviews m join submissions s on s.id = m.submission_id
       where s.exam_id = $1 and m.application > 0 and m.review_reasons = '{}'
       order by m.submission_id limit $2)`,
    [guide.exam, count],
  );
  return (await reasonsOf(guide)).filter(({ audited }) => audited);
};

const decide = ({ actor }: GuideExam, row: { submission_id: string; question_id: string }, awarded: number) =>
  overrideMark(services, actor, row.submission_id, row.question_id, { reviewer: 'teacher', awarded });

test('when audited marks fall below the target, passing stops for the exam until a teacher resumes it', async () => {
  const guide = await taught(120, 30);
  await applied(guide);
  const drawn = await drawFurther(guide, 4);
  const [first, second] = drawn;
  if (first === undefined || second === undefined) throw new Error('too few marks pass');
  const shown = () => showGuide(services, guide.actor, guide.exam);
  await decide(guide, first, Math.min(4, Number(first.awarded) + 0.5));
  expect(await shown()).toMatchObject({
    passing_stopped_at: null,
    audit: { audited: drawn.length, decided: 1, agreed: 1 },
  });
  await decide(guide, second, Number(second.awarded) > 2 ? 0 : 4);
  expect(await shown()).toMatchObject({
    passing_stopped_at: expect.any(String),
    audit: { decided: 2, agreed: 1 },
  });
  const { rows } = await client.query(
    `select event, after from guide_events where exam_id = $1 and event = 'passing_stopped'`,
    [guide.exam],
  );
  expect(rows).toMatchObject([{ after: { decided: 2, agreed: 1 } }]);
  // The next application puts the flags back.
  const { applied: tally } = await applied(guide);
  expect(tally).toMatchObject({ passing: 0 });
  // Marks of the teacher are left as they are.
  const isDecided = (row: { submission_id: string; question_id: string }) =>
    [first, second].some(
      (one) => one.submission_id === row.submission_id && one.question_id === row.question_id,
    );
  const open = (await reasonsOf(guide)).filter((row) => !isDecided(row));
  expect(open.filter(({ needs_review }) => !needs_review)).toEqual([]);
  await setGuide(services, guide.actor, guide.exam, { resume_passing: true });
  expect(await shown()).toMatchObject({ passing_stopped_at: null });
});

/** Makes both long answers of an exam questions of one mark, which teacher and grader give whole or not at all. */
const withOneMark = async (guide: GuideExam): Promise<void> => {
  const questions = [guide.questions];
  await client.query('update questions set max_marks = 1 where id = any($1)', questions);
  await client.query(
    'update question_results set max = 1, awarded = least(awarded, 1) where question_id = any($1)',
    questions,
  );
  await client.query(
    'update reviews set awarded = (awarded >= 2)::int where question_id = any($1)',
    questions,
  );
};

test('on a question of one mark no half mark passes, and the audit counts half a mark as a disagreement', async () => {
  const guide = await taught(60, 20);
  await withOneMark(guide);
  await applied(guide);
  const rows = await reasonsOf(guide);
  expect(rows.filter(({ awarded }) => Number(awarded) === 0.5)).toEqual([]);
  const [first] = await drawFurther(guide, 1);
  if (first === undefined) throw new Error('no mark passes');
  await decide(guide, first, 0.5);
  expect(await showGuide(services, guide.actor, guide.exam)).toMatchObject({
    passing_stopped_at: expect.any(String),
    audit: { decided: 1, agreed: 0 },
  });
});

const completion: Completion = {
  checked_copy: null,
  review_reasons: [],
  ...usedUp(0),
};

/** Makes a submission's run claimed and not complete yet. @returns the ids and the fence of the claim */
const backToClaimed = async (guide: GuideExam, index: number) => {
  const submission = guide.submissions[index];
  if (submission === undefined) throw new Error(`no submission ${index}`);
  await client.query(`update submissions set status = 'grading', graded_at = null where id = $1`, [
    submission.id,
  ]);
  await client.query(
    `update runs set status = 'claimed', claim_token_sha256 = $2, lease_until = now() + interval '1 hour' where id = $1`,
    [submission.run, TOKEN_SHA256],
  );
  await client.query(
    `insert into credit_accounts (institute_id, balance, committed) values ($1, 100, 50) on conflict do nothing`,
    [guide.institute],
  );
  const held = { run_id: submission.run, institute_id: guide.institute, fence: 1, token: TOKEN };
  return { held, submission };
};

const guidedOf = async (run: string) => {
  const { rows } = await client.query(
    `select m.application, m.reviewer, m.key_id from reviews m join submissions s on s.id = m.submission_id
     where s.current_run_id = $1 and m.application > 0`,
    [run],
  );
  return rows;
};

test('a run that completes is marked by the application in force, and by none after its undo', async () => {
  const guide = await taught(24, 8);
  const [late, later] = [await backToClaimed(guide, 20), await backToClaimed(guide, 21)];
  const { applied: tally } = await applied(guide);
  expect(tally?.skipped.not_graded).toBe(4);
  await recordBatch(services, late.held, { ...NOTHING, completion });
  expect(await guidedOf(late.submission.run)).toEqual(
    guide.questions.map(() => ({ application: 1, reviewer: 'guide', key_id: guide.actor.key_id })),
  );
  const { rows } = await client.query(
    `select status, marks_revision, needs_review from submissions where id = $1`,
    [late.submission.id],
  );
  expect(rows).toEqual([{ status: 'graded', marks_revision: 1, needs_review: true }]);
  const before = await client.query('select awarded from question_results where run_id = $1 order by 1', [
    later.submission.run,
  ]);
  await undoGuide(services, guide.actor, guide.exam, 1);
  expect(await guidedOf(late.submission.run)).toEqual([]);
  await recordBatch(services, later.held, { ...NOTHING, completion });
  expect(await guidedOf(later.submission.run)).toEqual([]);
  const after = await client.query('select awarded from question_results where run_id = $1 order by 1', [
    later.submission.run,
  ]);
  expect(after.rows).toEqual(before.rows);
});

test('runs that complete while guides are applied or undone end with all marks guided, or none', async () => {
  const guide = await taught(24, 8);
  const claimed: Awaited<ReturnType<typeof backToClaimed>>[] = [];
  for (const index of [10, 12, 14, 16, 18, 20]) claimed.push(await backToClaimed(guide, index));
  const [first, second] = [claimed.slice(0, 3), claimed.slice(3)];
  await previewGuide(services, guide.actor, guide.exam, undefined);
  const run = ({ held }: Awaited<ReturnType<typeof backToClaimed>>) =>
    recordBatch(services, held, { ...NOTHING, completion });
  await Promise.all([applyGuide(services, guide.actor, guide.exam, 1), ...first.map(run)]);
  for (const { submission } of first) expect(await guidedOf(submission.run)).toHaveLength(2);
  await Promise.all([undoGuide(services, guide.actor, guide.exam, 1), ...second.map(run)]);
  expect(await reasonsOf(guide)).toEqual([]);
});

test('a submission that is graded again is neither marked by a pass nor changed by its undo', async () => {
  const guide = await taught(16, 6);
  await applied(guide);
  const submission = guide.submissions[12];
  if (submission === undefined) throw new Error('no submission');
  await client.query(`insert into institutes (id, name) values ($1, 'Institute')`, [guide.institute]);
  await client.query(
    `insert into api_keys (id, institute_id, hash, last_four, scopes) values ($1, $2, $3, 'abcd', '{}')`,
    [guide.actor.key_id, guide.institute, randomUUID()],
  );
  await client.query(`insert into credit_accounts (institute_id, balance) values ($1, 100)`, [
    guide.institute,
  ]);
  await client.query(
    `insert into answers (institute_id, submission_id, question_id, option_labels, text)
     select $1, $2, unnest($3::uuid[]), '{}', 'water splits into oxygen'`,
    [guide.institute, submission.id, guide.questions],
  );
  expect(await guidedOf(submission.run)).not.toEqual([]);
  await reEvaluate(services, guide.actor, submission.id, {});
  const { rows: left } = await client.query('select application from reviews where submission_id = $1', [
    submission.id,
  ]);
  expect(left).toEqual([]);
  const { applied: tally, number } = await applied(guide);
  expect(tally).toMatchObject({ written: 0 });
  await undoGuide(services, guide.actor, guide.exam, number);
  expect(await undoGuide(services, guide.actor, guide.exam, 1)).toMatchObject({ step: 'undone' });
  const { rows } = await client.query('select status, marks_revision from submissions where id = $1', [
    submission.id,
  ]);
  // One revision for the application and one for the re-evaluation.
  expect(rows).toEqual([{ status: 'queued', marks_revision: 2 }]);
});
