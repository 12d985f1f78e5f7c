import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { approveSeen } from '../../../test/approveSeen.ts';
import { makeGuideExam } from '../../../test/guideExam.ts';
import { finalizeExam } from '../review/finalizeExam.ts';
import { withdrawMark } from '../review/withdrawMark.ts';
import { setGuide } from './settings.ts';
import { showGuide } from './showGuide.ts';
import { suggestMarks } from './suggestMarks.ts';
import { guideCalls } from '../../../test/guideCalls.ts';

const { services, client, stateOf, override, taught, preview, apply, undo, onlyStart, marksOf } =
  await guideCalls();

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
    await approveSeen(services, guide.actor, approved?.id ?? '');
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
    await approveSeen(services, guide.actor, guide.submissions[7]?.id ?? '');
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
