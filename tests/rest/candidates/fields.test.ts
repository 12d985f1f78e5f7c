import { expect, test } from 'vitest';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectPostRefused, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();

const openExam = (): Promise<Exam> => createExam(tenant.api, typedExam([mcq('1')]));
const answers = [{ question_label: '1', option_labels: ['B'] }];
const submitAs = async (candidate: object, exam?: Exam): Promise<Submission> =>
  submit(tenant.api, (exam ?? (await openExam())).id, { candidate, answers });
const candidateOf = async (submission: Submission) => (await resultOf(tenant.api, submission.id)).candidate;

test('a candidate belongs to the institute: the same external_id on two exams has one id', async () => {
  const first = await submitAs({ external_id: 'one' });
  const second = await submitAs({ external_id: 'one' });
  expect(second.candidate).toEqual(first.candidate);
  expect(first.candidate.external_id).toBe('one');
  expect((await submitAs({ external_id: 'ONE' })).candidate.id).not.toBe(first.candidate.id);
});

test('sent fields replace; omitted or null fields keep; an empty text is a value', async () => {
  const first = await submitAs({ external_id: 'upsert', name: 'Asha Rao', roll_number: '17' });
  expect(await candidateOf(first)).toMatchObject({ name: 'Asha Rao', roll_number: '17' });

  await submitAs({ external_id: 'upsert', name: null });
  expect(await candidateOf(first)).toMatchObject({ name: 'Asha Rao', roll_number: '17' });

  await submitAs({ external_id: 'upsert', name: 'Asha R. Rao', roll_number: null, section_or_class: '10-A' });
  expect(await candidateOf(first)).toMatchObject({ name: 'Asha R. Rao', roll_number: '17' });

  await submitAs({ external_id: 'upsert', roll_number: '' });
  expect(await candidateOf(first)).toMatchObject({ name: 'Asha R. Rao', roll_number: '' });
});

test('a candidate of POST /exams is the one that submits later, by external_id or by id', async () => {
  const body = typedExam([mcq('1')], { candidates: [{ external_id: 'inline', name: 'In Line' }] });
  const exam = await createExam(tenant.api, body);
  const submission = await submitAs({ external_id: 'inline' }, exam);
  expect(await candidateOf(submission)).toMatchObject({ id: submission.candidate.id, name: 'In Line' });

  const byId = await submit(tenant.api, (await openExam()).id, {
    candidate_id: submission.candidate.id,
    answers,
  });
  expect(byId.candidate).toEqual(submission.candidate);
});

test('a refused submission leaves the stored candidate unchanged', async () => {
  const first = await submitAs({ external_id: 'refused', name: 'Before' });
  const exam = await openExam();
  await expectPostRefused(tenant, 422, 'validation_failed', `/exams/${exam.id}/submissions`, {
    candidate: { external_id: 'refused', name: 'After' },
    answers: [{ question_label: 'none', text: 'x' }],
  });
  expect(await candidateOf(first)).toMatchObject({ name: 'Before' });
});

test.each([
  ['no external_id', {}, 'external_id: required'],
  ['an empty external_id', { external_id: '' }, 'external_id: required'],
  ['a long external_id', { external_id: 'x'.repeat(129) }, 'external_id: too_long'],
  ['a long name', { external_id: 'a', name: 'x'.repeat(256) }, 'name: too_long'],
  ['markup in a name', { external_id: 'a', name: '<b>' }, 'name: invalid_characters'],
  ['a long roll number', { external_id: 'a', roll_number: 'x'.repeat(65) }, 'roll_number: too_long'],
  ['markup in a roll number', { external_id: 'a', roll_number: '>' }, 'roll_number: invalid_characters'],
  [
    'a long section_or_class',
    { external_id: 'a', section_or_class: 'x'.repeat(65) },
    'section_or_class: too_long',
  ],
  [
    'markup in section_or_class',
    { external_id: 'a', section_or_class: '<' },
    'section_or_class: invalid_characters',
  ],
  ['metadata that is a list', { external_id: 'a', metadata: [1] }, 'metadata: invalid_type'],
  ['metadata over 2 KB', { external_id: 'a', metadata: { k: 'x'.repeat(2041) } }, 'metadata: too_long'],
])('a candidate is refused with %s', async (_name, candidate, problem) => {
  const exam = await openExam();
  const error = await expectPostRefused(tenant, 422, 'validation_failed', `/exams/${exam.id}/submissions`, {
    candidate,
    answers,
  });
  expect(problemsIn(error)).toEqual([`candidate.${problem}`]);
});

test('the longest fields are accepted', async () => {
  const submission = await submitAs({
    external_id: '😀'.repeat(128),
    name: 'n'.repeat(255),
    roll_number: 'r'.repeat(64),
    section_or_class: 's'.repeat(64),
    metadata: { k: 'x'.repeat(2048 - '{"k":""}'.length) },
  });
  expect(await candidateOf(submission)).toMatchObject({ name: 'n'.repeat(255), roll_number: 'r'.repeat(64) });
});
