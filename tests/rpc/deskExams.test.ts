import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../harness/api.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { codeOf, openStaff } from '../harness/staff.ts';
import { newTenant, startIdleService, type Tenant } from '../harness/tenant.ts';

/* The desk's lists of exams and copies. */

const service = closedAfterTests(await startIdleService());
const staff = closedAfterTests(await openStaff(service));
const tenant = await newTenant(service);

const desk = (instituteId = tenant.instituteId) => staff.as(instituteId);
const paper = (title: string, change: Parameters<typeof typedExam>[1] = {}) =>
  typedExam([mcq('1'), longAnswer('2')], { title, ...change });

const makeExams = async (api: Tenant['api'], titles: readonly string[]): Promise<Exam[]> => {
  const made: Exam[] = [];
  for (const title of titles) made.push(await createExam(api, paper(title)));
  return made;
};

describe('the list of exams', () => {
  test('exams of both sources are listed newest first, in pages that repeat and miss none', async () => {
    const { api, instituteId } = await newTenant(service);
    await makeExams(api, ['First', 'Second']);
    await desk(instituteId).exams.create.mutate({ body: paper('Third') });
    await makeExams(api, ['Fourth']);
    const titles: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Awaited<ReturnType<ReturnType<typeof desk>['desk']['exams']['list']['query']>> = await desk(
        instituteId,
      ).desk.exams.list.query({ limit: 3, ...(cursor === null ? {} : { cursor }) });
      titles.push(...page.data.map(({ title, source }) => `${title} ${source}`));
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    expect(titles).toEqual(['Fourth api', 'Third desk', 'Second api', 'First api']);
  });

  test('search, status and source choose exams, and a deleted exam is left out', async () => {
    const { api, instituteId } = await newTenant(service);
    const [algebra, deleted] = await makeExams(api, ['Algebra 100%', 'Gone']);
    await api.delete(`/exams/${deleted?.id}`);
    const draft = await createExam(api, { ...paper('Botany'), open: false, external_ref: 'REF-7' });
    await desk(instituteId).exams.create.mutate({ body: paper('बीजगणित') });
    const found = async (filter: object): Promise<string[]> =>
      (await desk(instituteId).desk.exams.list.query(filter)).data.map(({ title }) => title);
    expect(await found({})).toEqual(['बीजगणित', 'Botany', 'Algebra 100%']);
    expect(await found({ search: 'ALGEBRA' })).toEqual(['Algebra 100%']);
    expect(await found({ search: '0%' })).toEqual(['Algebra 100%']);
    expect(await found({ search: '%' })).toEqual(['Algebra 100%']);
    expect(await found({ search: 'ref-7' })).toEqual(['Botany']);
    expect(await found({ search: 'गणित' })).toEqual(['बीजगणित']);
    expect(await found({ status: 'draft', source: 'api' })).toEqual(['Botany']);
    expect(await found({ status: 'draft', source: 'desk' })).toEqual(['बीजगणित']);
    const { id } = await submit(api, algebra?.id ?? '', { candidate: { external_id: 'c1' }, answers: [] });
    expect(await found({ status: 'finalized' })).toEqual([]);
    await api.post(`/exams/${algebra?.id}/finalize`, { submission_ids: [id] });
    expect(await found({ status: 'finalized' })).toEqual(['Algebra 100%']);
    expect(await found({ status: 'open' })).toEqual([]);
    expect(draft.status).toBe('draft');
  });

  test('candidates are counted, and submissions by status', async () => {
    const { api, instituteId } = await newTenant(service);
    const exam = await createExam(api, paper('Counted'));
    await api.post(`/exams/${exam.id}/candidates`, { candidates: [{ external_id: 'absent' }] });
    const send = (external_id: string, answers: object[]) =>
      submit(api, exam.id, { candidate: { external_id }, answers });
    await send('graded', [{ question_label: '1', option_labels: ['B'] }]);
    await send('waiting', [{ question_label: '2', text: 'Because.' }]);
    const cancelled = await send('cancelled', [{ question_label: '2', text: 'Because.' }]);
    await api.post(`/submissions/${cancelled.id}/cancel`);
    const shown = await desk(instituteId).desk.exams.overview.query({ exam_id: exam.id });
    expect(shown).toMatchObject({ title: 'Counted', source: 'api', status: 'open', candidates: 4 });
    expect(shown.submissions).toEqual({
      total: 3,
      waiting: 1,
      running: 0,
      graded: 1,
      partially_graded: 0,
      failed: 0,
      cancelled: 1,
      needs_review: 0,
      finalized: 0,
    });
  });
});

describe('the mark book of an exam', () => {
  test('candidates are in the natural order of roll numbers or of marks, in pages that repeat and miss none', async () => {
    const { api, instituteId } = await newTenant(service);
    const exam = await createExam(api, typedExam([mcq('1'), mcq('2')], { title: 'Book' }));
    const rolls = ['R-10', 'R-9', 'R-100', '2', '12', null];
    await api.post(`/exams/${exam.id}/candidates`, {
      candidates: rolls.map((roll_number, index) => ({ external_id: `Z-${index}`, roll_number })),
    });
    const answer = async (index: number, options: string[]): Promise<string> =>
      (
        await submit(api, exam.id, {
          candidate: { external_id: `Z-${index}` },
          answers: options.map((label, at) => ({ question_label: String(at + 1), option_labels: [label] })),
        })
      ).id;
    const best = await answer(0, ['B', 'B']);
    await answer(1, ['A', 'A']);
    await answer(3, ['B', 'A']);
    const book = (query: object) =>
      desk(instituteId).desk.exams.markBook.query({ exam_id: exam.id, ...query });
    const order = async (query: object): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await book({ limit: 4, ...query, ...(cursor === undefined ? {} : { cursor }) });
        ids.push(...page.data.map(({ candidate }) => candidate.roll_number ?? candidate.external_id));
        if (page.next_cursor === null) return ids;
        cursor = page.next_cursor;
      }
    };
    expect(await order({})).toEqual(['2', '12', 'R-9', 'R-10', 'R-100', 'Z-5']);
    expect(await order({ descending: true })).toEqual(['Z-5', 'R-100', 'R-10', 'R-9', '12', '2']);
    expect((await order({ sort: 'total', descending: true })).slice(0, 3)).toEqual(['R-10', '2', 'R-9']);
    const [, second] = exam.questions;
    expect((await order({ sort: second?.id, descending: true }))[0]).toBe('R-10');
    const { data, questions, is_sorted } = await book({ search: 'R-10' });
    expect(is_sorted).toBe(true);
    expect(questions.map(({ label }) => label)).toEqual(['1', '2']);
    expect(data[0]?.submission).toMatchObject({
      awarded: questions.reduce((sum, { max }) => sum + max, 0),
      marks: [
        { awarded: 1, sign: null },
        { awarded: 1, sign: null },
      ],
    });
    // A changed mark and a flag have signs, and filters of their own.
    await api.patch(`/submissions/${best}/questions/${second?.id}`, { reviewer: 'T', awarded: 0 });
    expect(await order({ show: 'changed' })).toEqual(['R-10']);
    const signs = async () => (await book({ search: 'R-10' })).data[0]?.submission?.marks;
    expect(await signs()).toMatchObject([{ sign: null }, { awarded: 0, sign: 'changed' }]);
    expect(await order({ show: 'flagged' })).toEqual([]);
    await desk(instituteId).desk.marking.flag.mutate({
      submission_id: best,
      question_id: exam.questions[0]?.id ?? '',
      flagged: true,
    });
    expect(await order({ show: 'flagged' })).toEqual(['R-10']);
    expect(await signs()).toMatchObject([{ awarded: 1, sign: 'flagged' }, { sign: 'changed' }]);
    const [row] = (await book({ search: 'R-10', marks: false })).data;
    expect(row?.submission?.marks).toEqual([null, null]);
  });

  test('each candidate is shown once, with the live submission, by filter and search', async () => {
    const { api, instituteId } = await newTenant(service);
    const exam = await createExam(api, paper('Copies'));
    await api.post(`/exams/${exam.id}/candidates`, {
      candidates: [
        { external_id: 'a1', name: 'Asha Rao', roll_number: '17' },
        { external_id: 'b2', name: 'Biju Nair', roll_number: '18' },
        { external_id: 'c3', name: 'Chitra Das', roll_number: '19' },
      ],
    });
    const answers = [{ question_label: '1', option_labels: ['B'] }];
    await submit(api, exam.id, { candidate: { external_id: 'a1' }, answers });
    const replacing = { candidate: { external_id: 'a1' }, answers, replace: true };
    const live = await submit(api, exam.id, replacing);
    await submit(api, exam.id, {
      candidate: { external_id: 'b2' },
      answers: [{ question_label: '2', text: 'Because.' }],
    });
    const copies = async (filter: object) =>
      (await desk(instituteId).desk.exams.markBook.query({ exam_id: exam.id, ...filter })).data;
    const ids = async (filter: object) =>
      (await copies(filter)).map(({ candidate }) => candidate.external_id).toSorted();
    expect(await ids({})).toEqual(['a1', 'b2', 'c3']);
    expect(await ids({ show: 'none' })).toEqual(['c3']);
    expect(await ids({ show: 'unfinished' })).toEqual(['b2']);
    expect(await ids({ show: 'graded' })).toEqual(['a1']);
    expect(await ids({ search: 'rao' })).toEqual(['a1']);
    expect(await ids({ search: '18' })).toEqual(['b2']);
    const [first] = await copies({ show: 'graded' });
    expect(first).toMatchObject({
      candidate: { name: 'Asha Rao', roll_number: '17' },
      submission: { id: live.id, status: 'graded', file_name: null, finalized: false },
    });
    const pages: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await desk(instituteId).desk.exams.markBook.query({
        exam_id: exam.id,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      pages.push(...page.data.map(({ candidate }) => candidate.external_id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(pages.toSorted()).toEqual(['a1', 'b2', 'c3']);
  });

  test('names of a blind exam are neither shown nor found by search', async () => {
    const { api, instituteId } = await newTenant(service);
    const exam = await createExam(api, handwrittenExam({ blind: true }));
    await api.post(`/exams/${exam.id}/candidates`, {
      candidates: [{ external_id: 'a1', name: 'Asha Rao', roll_number: '17' }],
    });
    const copies = (filter: object) =>
      desk(instituteId).desk.exams.markBook.query({ exam_id: exam.id, ...filter });
    expect((await copies({})).data).toMatchObject([{ candidate: { name: null, roll_number: '17' } }]);
    expect((await copies({ search: 'asha' })).data).toEqual([]);
  });
});

test('an exam of another institute answers as a missing one', async () => {
  const other = await newTenant(service);
  const foreign = await createExam(other.api, paper('Foreign'));
  for (const exam_id of [foreign.id, randomUUID(), 'no-uuid']) {
    expect(await codeOf(desk().desk.exams.overview.query({ exam_id }))).toBe('exam_not_found');
    expect(await codeOf(desk().desk.exams.markBook.query({ exam_id }))).toBe('exam_not_found');
  }
  const cursor = foreign.id;
  const listed = await desk().desk.exams.list.query({ cursor });
  expect(listed.data.map(({ id }) => id)).not.toContain(foreign.id);
});

test('the first 30 copies of sample exams cost nothing, and later ones and other exams do', async () => {
  const { api, instituteId } = await newTenant(service);
  const { desk: exams, exams: others, submissions } = desk(instituteId);
  const candidates = Array.from({ length: 31 }, (_, index) => ({ external_id: `S${index}` }));
  const body = paper('Sample', { candidates, open: true });
  const sample = await exams.exams.createSample.mutate({ body });
  const paid = await others.create.mutate({ body: paper('Other', { candidates, open: true }) });
  expect((await exams.exams.overview.query({ exam_id: sample.id })).is_sample).toBe(true);
  const available = async () => (await api.get<{ available: number }>('/credits')).body.available;
  const before = await available();
  const reserved = async () => before - (await available());
  const copy = (exam_id: string, external_id: string) =>
    submissions.create.mutate({
      exam_id,
      body: { candidate: { external_id }, answers: [{ question_label: '2', text: 'It bends.' }] },
    });
  for (const { external_id } of candidates.slice(0, 30)) await copy(sample.id, external_id);
  expect(await reserved()).toBe(0);
  await copy(sample.id, 'S30');
  expect(await reserved()).toBe(1);
  await copy(paid.id, 'S1');
  expect(await reserved()).toBe(2);
});
