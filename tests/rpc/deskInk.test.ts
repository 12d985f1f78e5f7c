import { randomUUID } from 'node:crypto';
import type { Ink } from '@evaluation/rules/marked-page';
import { expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { codeOf } from '../harness/staff.ts';
import { newTestExam, type TestExam } from '../harness/testExam.ts';
import { markingCalls } from './markingCalls.ts';

/* Ink of teachers on the pages of a copy (docs/desk/marking.md#ink). */

const { service, staff, examiner, screenOf } = await markingCalls();
type Examiner = ReturnType<typeof examiner>;

const tick = (change: Partial<{ page: number; x: number }> = {}): { id: string; ink: Ink } => ({
  id: randomUUID(),
  ink: { kind: 'tick', page: change.page ?? 1, at: [change.x ?? 0.5, 0.5] },
});

/** Gives a typed submission the pages of a copy: grading a scan would take seconds of CPU. */
const newCopy = async (made: TestExam) => {
  const submission = await made.reach('graded');
  const upload = randomUUID();
  await behind(
    service.database,
    `with made as (insert into uploads (id, institute_id, file_name, content_type, size_bytes, status, object_key, sealed_key,
         submission_id)
       select $2, institute_id, 'copy.pdf', 'application/pdf', 1, 'ready', 'nowhere', 'nowhere', id
       from submissions where id = $1
       returning id)
     update submissions set pages = 2, upload_id = $2 where id = $1`,
    [submission.id, upload],
  );
  return submission;
};

const draw = (
  who: Examiner,
  { id }: { id: string },
  add: { id: string; ink: Ink }[],
  remove: string[] = [],
) => who.desk.marking.ink.mutate({ submission_id: id, add, remove });
const inkOn = async (who: Examiner, submission: { id: string }) =>
  (await screenOf(who, submission)).copy?.ink.map(({ id }) => id);
const drawingsOf = ({ id }: { id: string }) =>
  behind(service.database, 'select from copy_drawings where submission_id = $1', [id]);

test('strokes of two people stay side by side, with their authors, and the checked copy is drawn anew', async () => {
  const made = await newTestExam(service);
  const submission = await newCopy(made);
  const own = randomUUID();
  const [who, colleague] = [examiner(made, own), examiner(made)];
  const before = (await screenOf(who, submission)).marks_revision;
  expect(await drawingsOf(submission)).toHaveLength(0);
  const [first, second] = [tick(), tick({ page: 2 })];
  await Promise.all([draw(who, submission, [first]), draw(colleague, submission, [second])]);
  expect(new Set(await inkOn(who, submission))).toEqual(new Set([first.id, second.id]));
  const { copy, marks_revision } = await screenOf(colleague, submission);
  expect(copy?.ink.find(({ id }) => id === first.id)).toMatchObject({ ink: first.ink, by: { id: own } });
  // The page of a colleague reads the copy again when the revision grows.
  expect(marks_revision).toBe(before + 2);
  expect(await drawingsOf(submission)).toHaveLength(1);
  await draw(colleague, submission, [], [first.id]);
  expect(await inkOn(who, submission)).toEqual([second.id]);
});

test('a call that is repeated adds nothing and removes nothing more, also after a later removal', async () => {
  const made = await newTestExam(service);
  const submission = await newCopy(made);
  const who = examiner(made);
  const stroke = tick();
  expect(await draw(who, submission, [stroke])).toEqual({ changed: true });
  expect(await draw(who, submission, [stroke])).toEqual({ changed: false });
  await draw(who, submission, [], [stroke.id]);
  const { marks_revision } = await screenOf(who, submission);
  expect(await draw(who, submission, [stroke])).toEqual({ changed: false });
  expect(await draw(who, submission, [], [stroke.id, randomUUID()])).toEqual({ changed: false });
  expect(await inkOn(who, submission)).toEqual([]);
  expect((await screenOf(who, submission)).marks_revision).toBe(marks_revision);
  const rows = await behind(service.database, 'select ink from marking_ink where submission_id = $1', [
    submission.id,
  ]);
  expect(rows).toEqual([{ ink: null }]);
});

test('ink beyond the pages, beyond the bounds, on typed answers and on a final copy is refused', async () => {
  const made = await newTestExam(service);
  const submission = await newCopy(made);
  const who = examiner(made);
  expect(await codeOf(draw(who, submission, [tick({ page: 3 })]))).toBe('validation_failed');
  expect(await codeOf(draw(who, submission, [tick({ x: 2 })]))).not.toBe('answered');
  expect(await codeOf(draw(who, await made.reach('graded'), [tick()]))).toBe('validation_failed');
  for (let calls = 0; calls < 10; calls += 1) {
    await draw(
      who,
      submission,
      Array.from({ length: 50 }, () => tick()),
    );
  }
  const [first] = (await inkOn(who, submission)) ?? [];
  expect(await codeOf(draw(who, submission, [tick()]))).toBe('validation_failed');
  expect(await codeOf(draw(who, submission, [tick()], [first ?? '']))).toBe('answered');
  await made.finalize({ submission_ids: [submission.id] });
  expect((await submission.result()).finalized).toBe(true);
  expect(await codeOf(draw(who, submission, [tick()]))).toBe('submission_finalized');
  expect(await codeOf(draw(who, submission, [], [first ?? '']))).toBe('submission_finalized');
});

test('ids of another institute are missing, and an actor without the scope has no access', async () => {
  const [made, other] = [await newTestExam(service), await newTestExam(service)];
  const submission = await newCopy(made);
  expect(await codeOf(draw(examiner(other), submission, [tick()]))).toBe('not_found');
  expect(await codeOf(draw(examiner(made), { id: randomUUID() }, [tick()]))).toBe('not_found');
  const reader = staff.as(made.tenant.instituteId, ['evaluation:read'], 'examiner');
  expect(await codeOf(draw(reader, submission, [tick()]))).toBe('insufficient_scope');
});
