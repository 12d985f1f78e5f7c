import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { newTestExam } from '../harness/testExam.ts';
import { restSuite } from '../harness/restSuite.ts';
import { runProgram } from './program.ts';

/* The admin commands for guides, the effect of an erasure on a guide, and the commands for a regrade. */

const { service } = await restSuite();

const admin = async (
  ...args: string[]
): Promise<{ code: number | null; answer: Record<string, unknown> }> => {
  const { code, stdout, stderr } = await runProgram('admin', [...args, '--json'], {
    DATA_DIR: service.environment['DATA_DIR'] ?? '',
  });
  return { code, answer: JSON.parse(code === 0 ? stdout : stderr) as Record<string, unknown> };
};

test('guide set, preview, apply, show and undo change the marks of an exam that is named by its id alone; an erasure makes a version without the candidate', async () => {
  const made = await newTestExam(service);
  const [first, second, third] = await made.gradedWith([
    'Plants eat light.',
    'Stones sleep.',
    'Plants eat light, too.',
    'Stones sleep a lot.',
  ]);
  await first?.override('2', { reviewer: 'teacher', awarded: 2 });
  await second?.override('2', { reviewer: 'teacher', awarded: 0 });
  const exam = ['--exam', made.exam.id];
  const institute = ['--institute', made.tenant.instituteId];

  expect(await admin('guide', 'set', ...exam)).toMatchObject({ code: 2 });
  expect(await admin('guide', 'set', ...exam, '--mode', 'apply', '--target', '0.9')).toMatchObject({
    answer: { mode: 'apply', target: 0.9 },
  });
  const before = await third?.question('2');
  const preview = await admin('guide', 'preview', ...exam, '--list');
  expect(preview).toMatchObject({ code: 0, answer: { number: 1, step: 'previewed' } });
  const { changes, preview: counted } = preview.answer;
  expect(changes).toHaveLength((counted as { changed: number }).changed);
  expect(await third?.question('2')).toEqual(before);
  expect(await admin('guide', 'undo', ...exam)).toMatchObject({
    code: 1,
    answer: { error: { code: 'not_in_force' } },
  });
  expect(await admin('guide', 'apply', ...exam)).toMatchObject({ code: 0, answer: { step: 'applied' } });
  expect((await third?.question('2'))?.confidence).not.toBe(before?.confidence);
  expect(await admin('guide', 'undo', ...exam)).toMatchObject({ answer: { number: 1, step: 'undone' } });
  expect(await third?.question('2')).toEqual(before);
  expect(await admin('guide', 'apply', ...exam, '--number', '7')).toMatchObject({
    code: 1,
    answer: { error: { code: 'not_found' } },
  });

  const ofQuestion = { label: '2', examples: 2, version: 1 };
  expect(await admin('guide', 'show', ...exam, '--institute', randomUUID())).toMatchObject({
    code: 1,
    answer: { error: { code: 'exam_not_found' } },
  });
  expect(await admin('guide', 'show', '--exam', randomUUID())).toMatchObject({
    code: 1,
    answer: { error: { code: 'exam_not_found' } },
  });
  expect(await admin('guide', 'show', ...exam, ...institute)).toMatchObject({
    answer: { in_force: null, questions: [ofQuestion, { label: '3', examples: 0 }] },
  });
  const candidate = (await first?.read())?.candidate.id ?? '';
  await admin('candidate', 'erase', ...institute, '--candidate', candidate, '--confirm');
  const versions = await behind<{ version: number; examples: { submission_id: string }[] }>(
    service.database,
    'select version, examples from guide_versions where question_id = $1 order by version',
    [made.questionId('2')],
  );
  expect(
    versions.map(({ version, examples }) => [version, examples.map((each) => each.submission_id)]),
  ).toEqual([
    [1, expect.arrayContaining([first?.id, second?.id])],
    [2, [second?.id]],
  ]);
  expect(JSON.stringify(versions)).not.toContain('Plants');
});

test('regrade preview shows the bill of a changed model answer, regrade start queues exactly those submissions once, and regrade restore brings the marks of a cancelled one back', async () => {
  const made = await newTestExam(service);
  const first = await made.reach('graded');
  const before = await first.result();
  await made.reach('graded');
  await made.changeModelAnswers('2');
  const exam = ['--exam', made.exam.id];
  const { answer: bill } = await admin('regrade', 'preview', ...exam);
  expect(bill).toMatchObject({ outdated: 2, sufficient: true, questions: [{ label: '2' }] });
  const version = ['--rubric-version', String(bill['rubric_version'])];
  const credits = await made.tenant.credits();
  expect(await admin('regrade', 'start', ...exam, ...version)).toMatchObject({
    answer: { queued: 2, remaining: 0, stopped: null },
  });
  expect((await made.tenant.credits()).committed - credits.committed).toBe(bill['credits']);
  expect(await admin('regrade', 'start', ...exam, ...version)).toMatchObject({ answer: { queued: 0 } });
  const ofFirst = ['--submission', first.id];
  expect(await admin('regrade', 'restore', ...exam, ...ofFirst)).toMatchObject({
    code: 1,
    answer: { error: { code: 'evaluation_in_progress' } },
  });
  await made.tenant.api.post(`${first.path}/cancel`);
  expect(await first.result()).not.toEqual(before);
  expect(await admin('regrade', 'restore', ...exam, ...ofFirst)).toMatchObject({
    code: 0,
    answer: { status: 'graded' },
  });
  expect(await first.result()).toEqual(before);
  expect((await made.tenant.credits()).balance).toBe(credits.balance);
});
