import { afterAll, expect, test } from 'vitest';
import { createExam, submit } from '../harness/api.ts';
import { mcq, typedExam } from '../harness/papers.ts';
import { restSuite } from '../harness/restSuite.ts';
import { openStaff } from '../harness/staff.ts';
import { newTenant } from '../harness/tenant.ts';

/* On a blind exam an examiner learns nothing of a candidate by any call (docs/desk/roles.md). */

const { service } = await restSuite();
const staff = await openStaff(service);
afterAll(() => staff.close());

const twoExams = async () => {
  const tenant = await newTenant(service);
  const make = async (blind: boolean) => {
    const exam = await createExam(tenant.api, typedExam([mcq('1')], { blind }));
    const submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'asha-external', name: 'Asha Rao' },
      answers: [{ question_label: '1', option_labels: ['A'] }],
      metadata: { student_name: 'Asha' },
    });
    return { exam_id: exam.id, submission_id: submission.id };
  };
  const exams = { blind: await make(true), open: await make(false) };
  const examiner = staff.as(tenant.instituteId, ['evaluation:read', 'evaluation:review'], 'examiner');
  return { ...exams, examiner };
};

test('an examiner reads one pseudonym of a candidate in all lists of a blind exam, and finds nothing by the name', async () => {
  const { blind, examiner } = await twoExams();
  const { candidate } = await examiner.submissions.get.query({ submission_id: blind.submission_id });
  expect(candidate.external_id).toMatch(/^C-[0-9A-F]{6}$/);
  const { exam_id } = blind;
  const { data: copies } = await examiner.desk.exams.markBook.query({ exam_id });
  const { data: registered } = await examiner.candidates.listRegistered.query({ exam_id, query: {} });
  const { data: marks } = await examiner.desk.statistics.marks.query({ exam_id });
  for (const shown of [copies[0]?.candidate, registered[0], marks[0]?.candidate])
    expect(shown).toMatchObject(candidate);
  expect((await examiner.desk.exams.markBook.query({ exam_id, search: 'asha' })).data).toEqual([]);
});

test('the same examiner sees the candidate of an exam that is not blind', async () => {
  const { open, examiner } = await twoExams();
  expect(await examiner.submissions.get.query({ submission_id: open.submission_id })).toMatchObject({
    candidate: { external_id: 'asha-external' },
    metadata: { student_name: 'Asha' },
  });
});

test('neither the order of a list nor a time of the candidate leads from a blind exam to another one', async () => {
  const tenant = await newTenant(service);
  const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
  const make = async (blind: boolean) => {
    const exam = await createExam(tenant.api, typedExam([mcq('1')], { blind }));
    for (const external_id of ids)
      await submit(tenant.api, exam.id, { candidate: { external_id }, answers: [] });
    return exam.id;
  };
  const [blind, open] = [await make(true), await make(false)];
  const examiner = staff.as(tenant.instituteId, ['evaluation:read', 'evaluation:review'], 'examiner');
  const pageBy = async <Item>(
    read: (cursor?: string) => Promise<{ data: Item[]; next_cursor: string | null }>,
  ): Promise<Item[]> => {
    const found: Item[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await read(cursor);
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    return found;
  };
  const limit = 5;
  const copiesOf = (exam_id: string) =>
    pageBy((cursor) => examiner.desk.exams.markBook.query({ exam_id, limit, cursor }));
  const marksOf = (exam_id: string) =>
    pageBy((cursor) => examiner.desk.statistics.marks.query({ exam_id, limit, cursor }));
  // The true candidates, in the order in which the examiner reads the copies of the blind exam.
  const { data: admin } = await staff.as(tenant.instituteId).desk.exams.markBook.query({ exam_id: blind });
  const nameOf = new Map(admin.map(({ submission, candidate }) => [submission?.id, candidate.external_id]));
  const order = (rows: (string | undefined)[]) => rows.map((id) => nameOf.get(id));
  const inOpen = (await copiesOf(open)).map(({ candidate }) => candidate.external_id);
  for (const rows of [
    (await copiesOf(blind)).map(({ submission }) => submission?.id),
    (await marksOf(blind)).map(({ submission_id }) => submission_id),
  ]) {
    expect(new Set(order(rows))).toEqual(new Set(ids));
    expect(order(rows)).not.toEqual(inOpen);
  }
  for (const exam_id of [blind, open]) {
    const { data } = await examiner.candidates.listRegistered.query({ exam_id, query: {} });
    expect(new Set(data.map(({ created_at }) => created_at)).size).toBe(1);
  }
});
