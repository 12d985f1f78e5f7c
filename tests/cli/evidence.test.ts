import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBundle, replay } from '@evaluation/grader/evidence';
import { canonicalJson } from '@evaluation/rules';
import type { Result, Submission } from '@evaluation/rest-contract/schemas';
import { beforeAll, expect, test } from 'vitest';
import { closedAfterTests, folderForTests } from '@evaluation/test-services';
import { copyPdf, copyTruth, examBody, typedSamples } from '../fixtures/fixtures.ts';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { marksOf } from '../harness/replayOf.ts';
import { truthFor } from '../harness/perfectReader.ts';
import { startWithModel } from '../harness/service.ts';
import { newTenant } from '../harness/tenant.ts';
import { runProgram, type Outcome } from './program.ts';
import { openTerminal } from './terminal.ts';

/*
 * Sample exams graded by a model that reads and marks like the careful examiner of the fixtures. The evidence is
 * written to a file, and replaying the file gives the same marks. journeys/copy.test.ts has the other copies of the
 * science exam, journeys/typed.test.ts the baseline, resilience/workers.test.ts a run of two deliveries.
 */

const MODEL_KEY = 'sk-never-in-a-bundle';
const NAME = 'Zebulon Quackenbush';

const submissions: Submission[] = [];

const folder = await folderForTests('evidence-');
const { model, service } = await startWithModel({
  OPENAI_API_KEY: MODEL_KEY,
  GRADER_MODEL: 'perfect-reader-1',
});
closedAfterTests(service);
// DATA_DIR alone, as on a machine that runs `npm start`.
const terminal = closedAfterTests(
  await openTerminal('admin', { DATA_DIR: service.environment['DATA_DIR'] ?? '' }),
);
const tenant = await newTenant(service);

beforeAll(async () => {
  const { api } = tenant;
  const science = await createExam(api, examBody('science'));
  model.know(truthFor(copyTruth('average')));
  const copy = await submit(api, science.id, {
    candidate: { external_id: 'candidate-1', name: NAME },
    upload_id: await uploadCopy(api, copyPdf('average')),
  });
  submissions.push(await untilOver(api, copy.id));
  model.know({});
  const history = await createExam(api, examBody('history-typed'));
  for (const { candidate, answers } of typedSamples()) {
    const accepted = await submit(api, history.id, { candidate: { ...candidate, name: NAME }, answers });
    submissions.push(await untilOver(api, accepted.id));
  }
}, 120_000);

const admin = (...args: string[]): Promise<Outcome> => terminal.run(args);

const fileOf = (submissionId: string): string => join(folder, `${submissionId}.json`);

const writeEvidence = async (submissionId: string, ...more: string[]): Promise<string> => {
  const out = fileOf(submissionId);
  const written = await admin('evidence', '--submission', submissionId, '--out', out, '--json', ...more);
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(written.stdout)).toMatchObject({ file: out });
  return readFile(out, 'utf8');
};

/** Replays with an empty environment: no data folder, no address, no key. */
const replayFile = (file: string): Promise<Outcome> =>
  runProgram('admin', ['evidence', 'replay', file], { DATA_DIR: join(folder, 'nowhere') });

test('a replay of every sample submission gives the same marks from the evidence alone', async () => {
  expect(submissions).toHaveLength(1 + typedSamples().length);
  for (const { id, status } of submissions) {
    expect(status).toBe('graded');
    const { outcome, differences } = replay(readBundle(await writeEvidence(id)));
    expect(differences).toEqual([]);
    expect(outcome).toEqual(marksOf(await resultOf(tenant.api, id)));
  }
});

test('evidence replay needs no service, and prints the same bytes each time', async () => {
  const [copy] = submissions;
  const file = fileOf(copy?.id ?? '');
  const first = await replayFile(file);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(await replayFile(file)).toEqual(first);
  expect(JSON.parse(first.stdout)).toEqual(marksOf(await resultOf(tenant.api, copy?.id ?? '')));
});

test('a bundle contains no API key and no name', async () => {
  for (const { id } of submissions) {
    const text = await readFile(fileOf(id), 'utf8');
    for (const secret of [MODEL_KEY, tenant.api.apiKey, NAME, 'candidate-', 'SAMPLE-', '260417']) {
      expect(text).not.toContain(secret);
    }
  }
});

const refused = (outcome: Outcome, exitCode: 1 | 2, code: string): string => {
  expect(outcome).toMatchObject({ code: exitCode });
  const { error } = JSON.parse(outcome.stderr) as { error: { code: string; message: string } };
  expect(error.code).toBe(code);
  return error.message;
};

test('a bundle that was tampered with is refused, and a changed recorded mark is reported', async () => {
  const [typed] = submissions.slice(-1);
  const text = await readFile(fileOf(typed?.id ?? ''), 'utf8');
  const file = join(folder, 'changed.json');

  // Raise an award in the model's recorded reply: the student would get more marks.
  const reply = text.replace(/(\\"awarded\\":)\d/, '$19');
  expect(reply).not.toBe(text);
  await writeFile(file, reply);
  expect(refused(await admin('evidence', 'replay', file, '--json'), 2, 'tampered')).toContain('question');

  const bundle = JSON.parse(text) as { recorded: { questions: { awarded: number }[] } };
  const [, second] = bundle.recorded.questions;
  if (second === undefined) throw new Error('no second question');
  second.awarded += 1;
  await writeFile(file, JSON.stringify(bundle));
  const outcome = await admin('evidence', 'replay', file, '--json');
  expect(refused(outcome, 1, 'not_the_same')).toContain(
    `questions.1.awarded: recorded ${second.awarded}, replayed ${second.awarded - 1}`,
  );

  await writeFile(file, '%PDF-1.7');
  expect(refused(await admin('evidence', 'replay', file, '--json'), 2, 'not_a_bundle')).toContain('not JSON');
});

test('a recorded prompt that differs from this release’s prompt is reported, except for a cached judgement', async () => {
  const [typed] = submissions.slice(-1);
  const bundle = JSON.parse(await readFile(fileOf(typed?.id ?? ''), 'utf8')) as {
    parts: { kind: string; sha256: string; content: { reused_from: string | null; calls: object[] } }[];
  };
  const judged = bundle.parts.find(
    ({ kind, content }) => kind === 'question' && content.reused_from === null,
  );
  if (judged === undefined) throw new Error('nothing was judged');
  const withContent = (content: typeof judged.content) => {
    const sha256 = createHash('sha256').update(canonicalJson(content)).digest('hex');
    const parts = bundle.parts.map((part) => (part === judged ? { ...part, content, sha256 } : part));
    return replay(readBundle(JSON.stringify({ ...bundle, parts }))).differences;
  };
  const calls = judged.content.calls.map((call) => ({ ...call, promptSha256: '0'.repeat(64) }));
  expect(withContent({ ...judged.content, calls })).toEqual([
    expect.stringContaining('has a prompt hash that differs'),
  ]);
  expect(withContent({ ...judged.content, calls, reused_from: typed?.id ?? '' })).toEqual([]);
});

test('a replay includes overrides, approval and a re-evaluation', async () => {
  const { api } = tenant;
  const [typed] = submissions.slice(-1);
  const id = typed?.id ?? '';
  const { questions } = await resultOf(api, id);
  const judged = questions.find(({ source }) => source === 'ai');
  const overridden = await api.patch(`/submissions/${id}/questions/${judged?.question_id}`, {
    reviewer: 'teacher-7',
    awarded: 0.5,
  });
  expect(overridden).toMatchObject({ status: 200 });
  expect(await api.post(`/submissions/${id}/approve`)).toMatchObject({ status: 200 });
  const shown = async (...more: string[]) => {
    const text = await writeEvidence(id, ...more);
    expect(text).not.toContain('teacher-7');
    return replay(readBundle(text));
  };
  const outcomeOf = ({ status, needs_review, review_reasons, totals }: Result) => ({
    status,
    needs_review,
    review_reasons,
    totals,
  });
  const approved = await shown();
  expect(approved.differences).toEqual([]);
  expect(approved.outcome.submission).toEqual(outcomeOf(await resultOf(api, id)));
  expect(approved.outcome.submission).toMatchObject({ needs_review: false });

  expect(await api.post(`/submissions/${id}/re-evaluate`)).toMatchObject({ status: 202 });
  await untilOver(api, id);
  const again = await shown('--institute', tenant.instituteId);
  expect(again.differences).toEqual([]);
  expect(again.outcome.submission).toEqual(outcomeOf(await resultOf(api, id)));
  const before = await shown('--attempt', '1');
  expect(before.differences).toEqual([]);
  expect(before.outcome).toEqual({ ...approved.outcome, submission: null });
});

test('a submission without evidence is refused', async () => {
  const none = '0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11';
  refused(await admin('evidence', '--submission', none, '--json'), 1, 'not_found');
  refused(await admin('evidence', '--json'), 2, 'invalid_arguments');
  const [typed] = submissions;
  const nowhere = join(folder, 'no', 'such', 'folder.json');
  const unwritable = ['--submission', typed?.id ?? '', '--out', nowhere, '--json'];
  refused(await admin('evidence', ...unwritable), 1, 'file_not_written');
});
