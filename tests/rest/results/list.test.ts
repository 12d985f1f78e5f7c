import { expect, test } from 'vitest';
import type { ResultList } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { gradeRun, takeRun } from '../../harness/takeRun.ts';
import {
  expectError,
  expectInvalid,
  expectOk,
  newTenant,
  problemsIn,
  startIdleService,
} from '../../harness/tenant.ts';

/* The list of results. submissions/list.test.ts tests the rules that it shares with the list of submissions. */

const service = closedAfterTests(await startIdleService());
const tenant = await newTenant(service);
const exam = await createExam(tenant.api, typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]));

const results = async (query = '', target = exam): Promise<ResultList> =>
  expectOk(await tenant.api.get<ResultList>(`/exams/${target.id}/results?${query}`));

test('lists one result per live submission, equal to its single result, in every status', async () => {
  const answers = [
    { question_label: '1', option_labels: ['B'] },
    { question_label: '2', text: 'Because of this.' },
    { question_label: '3', text: 'Because of that.' },
  ];
  const submitted = async (external_id: string) =>
    (await submit(tenant.api, exam.id, { candidate: { external_id, name: external_id }, answers })).id;
  const states = {
    queued: await submitted('queued'),
    graded: await submitted('graded'),
    partly: await submitted('partly'),
    failed: await submitted('failed'),
    cancelled: await submitted('cancelled'),
    again: await submitted('again'),
  };
  for (const id of [states.graded, states.again]) {
    const held = await takeRun(service, id);
    await held.complete({ 2: 1.5, 3: 0.5 });
  }
  const partly = await takeRun(service, states.partly);
  await partly.complete({ 2: 1, 3: 'failed' });
  await (await takeRun(service, states.failed)).fail('nothing_readable');
  await tenant.api.post(`/submissions/${states.cancelled}/cancel`);
  await tenant.api.post(`/submissions/${states.again}/re-evaluate`);

  const query = 'include=model_answer,annotations';
  const { data } = await results(query);
  expect(data.map(({ candidate, status }) => [candidate.external_id, status])).toEqual([
    ['queued', 'queued'],
    ['graded', 'graded'],
    ['partly', 'partially_graded'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['again', 'queued'],
  ]);
  for (const result of data) {
    expect(result).toEqual(await resultOf(tenant.api, result.submission_id, `?${query}`));
  }
  expect(data.map(({ totals }) => totals.awarded)).toEqual([1, 3, 2, 1, 1, 1]);
});

test('json is the default format, csv answers feature_not_available, and other formats are refused', async () => {
  expect(await results('format=json')).toEqual(await results());
  const refusal = expectError(
    await tenant.api.get(`/exams/${exam.id}/results?format=csv`),
    422,
    'feature_not_available',
  );
  expect(problemsIn(refusal)).toEqual([expect.stringMatching(/^format: /)]);
  for (const format of ['xml', 'CSV', '']) {
    expect(expectInvalid(await tenant.api.get(`/exams/${exam.id}/results?format=${format}`))).toEqual([
      expect.stringMatching(/^format: /),
    ]);
  }
});

test('include is not a filter: a cursor continues with another one; an unknown include is refused', async () => {
  const own = await createExam(tenant.api, typedExam([mcq('1')]));
  for (const external_id of ['a', 'b']) {
    await submit(tenant.api, own.id, { candidate: { external_id }, answers: [] });
  }
  const first = await results('limit=1&include=annotations', own);
  const second = await results(`limit=1&cursor=${first.next_cursor}`, own);
  expect([first, second].map(({ data }) => data[0]?.candidate.external_id)).toEqual(['a', 'b']);
  expect(first.data[0]?.questions[0]).toHaveProperty('annotations');
  expect(second.data[0]?.questions[0]).not.toHaveProperty('annotations');
  expect(
    expectInvalid(await tenant.api.get(`/exams/${own.id}/results?include=annotations,everything`)),
  ).toEqual(['include: invalid_value']);
});

/** More questions than submissions on a page, so that the submissions have different totals. */
const QUESTIONS = 60;

test('a page of 50 results of 60 questions is answered, each with its own marks', async () => {
  const labels = Array.from({ length: QUESTIONS }, (_, index) => String(index + 1));
  const big = await createExam(tenant.api, typedExam(labels.map((label) => mcq(label))));
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      submit(tenant.api, big.id, {
        candidate: { external_id: `big ${index}` },
        answers: labels.slice(0, index).map((question_label) => ({ question_label, option_labels: ['B'] })),
      }),
    ),
  );
  const { data, has_more } = await results('limit=50', big);
  expect({ rows: data.length, has_more }).toEqual({ rows: 50, has_more: false });
  for (const { candidate, totals, questions } of data) {
    expect(questions).toHaveLength(QUESTIONS);
    expect(totals).toMatchObject({ awarded: Number(candidate.external_id.slice(4)), max: QUESTIONS });
  }
});

test('a page is limited by its size; the remaining results come on the next page', async () => {
  const large = await createExam(tenant.api, typedExam([longAnswer('1')]));
  const ids: string[] = [];
  for (const external_id of ['large a', 'large b', 'large c']) {
    const { id } = await submit(tenant.api, large.id, {
      candidate: { external_id },
      answers: [{ question_label: '1', text: 'Because of this.' }],
    });
    await gradeRun(service, id);
    ids.push(id);
  }
  await behind(
    service.database,
    `update question_results set extracted_answer = repeat('x', 9000000)
     where run_id in (select current_run_id from submissions where exam_id = $1)`,
    [large.id],
  );
  const seen: string[] = [];
  for (let cursor = ''; ;) {
    const page = await results(`limit=50${cursor}`, large);
    expect(page.data).toHaveLength(1);
    seen.push(...page.data.map(({ submission_id }) => submission_id));
    if (!page.has_more) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(seen).toEqual(ids);
  expect((await results('include=-extracted_answer', large)).data).toHaveLength(3);
});
