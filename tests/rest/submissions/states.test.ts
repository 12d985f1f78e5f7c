import { describe, expect, test } from 'vitest';
import type { Exam, ExamStatus } from '@evaluation/rest-contract/schemas';
import { errors, type ErrorCode } from '@evaluation/rest-contract/errors';
import type { ExamChange } from '@evaluation/rules';
import { createExam, submit, type Answer, type ApiClient, type ErrorBody } from '../../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError } from '../../harness/tenant.ts';

/*
 * The table of docs/api/lifecycle.md#exams, tested with every call to which it applies. The expected errors are written
 * here again, so that a wrong row of packages/rules/src/examChanges.ts fails.
 */

const { tenant } = await restSuite();

interface ExamInStatus {
  api: ApiClient;
  exam: Exam;
  candidateId: string;
}
type Call = (context: ExamInStatus) => Promise<Answer<ErrorBody>>;
const question = ({ exam }: ExamInStatus, index: number): string => exam.questions[index]?.id ?? '';

const calls: Record<ExamChange, Record<string, Call>> = {
  edit: {
    'PATCH /exams/{id} title': ({ api, exam }) => api.patch(`/exams/${exam.id}`, { title: 'Edited' }),
    'PATCH /exams/{id} {}': ({ api, exam }) => api.patch(`/exams/${exam.id}`, {}),
  },
  restructure: {
    'PATCH /exams/{id} mode': ({ api, exam }) => api.patch(`/exams/${exam.id}`, { mode: 'handwritten' }),
    'PATCH /exams/{id} blind': ({ api, exam }) => api.patch(`/exams/${exam.id}`, { blind: true }),
    'PATCH /exams/{id} sections': ({ api, exam }) =>
      api.patch(`/exams/${exam.id}`, { sections: [{ name: 'A', order: 5 }] }),
  },
  change_scheme: {
    'POST /exams/{id}/questions': ({ api, exam }) =>
      api.post(`/exams/${exam.id}/questions`, { questions: [mcq('9')] }),
    'PATCH /exams/{id}/questions/{id} max_marks': (context) =>
      context.api.patch(`/exams/${context.exam.id}/questions/${question(context, 1)}`, { max_marks: 5 }),
    'PATCH /exams/{id}/questions/{id} key': (context) =>
      context.api.patch(`/exams/${context.exam.id}/questions/${question(context, 1)}`, {
        correct_options: ['C'],
      }),
    'DELETE /exams/{id}/questions/{id}': (context) =>
      context.api.delete(`/exams/${context.exam.id}/questions/${question(context, 0)}`),
  },
  edit_texts: {
    'PATCH /exams/{id}/questions/{id} text': (context) =>
      context.api.patch(`/exams/${context.exam.id}/questions/${question(context, 0)}`, { text: 'New?' }),
    'PATCH /exams/{id}/rubrics': (context) =>
      context.api.patch(`/exams/${context.exam.id}/rubrics`, {
        questions: { [question(context, 0)]: { model_answer: 'New.' } },
      }),
  },
  register: {
    'POST /exams/{id}/candidates': ({ api, exam }) =>
      api.post(`/exams/${exam.id}/candidates`, { candidates: [{ external_id: 'late' }] }),
  },
  unregister: {
    'DELETE /exams/{id}/candidates/{id}': ({ api, exam, candidateId }) =>
      api.delete(`/exams/${exam.id}/candidates/${candidateId}`),
  },
  finalize: {
    'POST /exams/{id}/finalize': ({ api, exam }) =>
      api.post(`/exams/${exam.id}/finalize`, { all_graded: true }),
  },
  open: { 'POST /exams/{id}/open': ({ api, exam }) => api.post(`/exams/${exam.id}/open`) },
  submit: {
    'POST /exams/{id}/submissions': ({ api, exam }) =>
      api.post(`/exams/${exam.id}/submissions`, {
        candidate: { external_id: 'sits' },
        answers: [{ question_label: '1', text: 'x' }],
      }),
  },
  delete: { 'DELETE /exams/{id}': ({ api, exam }) => api.delete(`/exams/${exam.id}`) },
};

const read = async (id: string): Promise<Exam> => (await tenant.api.get<Exam>(`/exams/${id}`)).body;

const examIn = async (status: ExamStatus): Promise<ExamInStatus> => {
  const { api } = tenant;
  const made = await createExam(api, {
    ...typedExam([longAnswer('1'), mcq('2')], { candidates: [{ external_id: 'registered' }] }),
    open: status === 'open' || status === 'finalized',
  });
  const { body } = await api.post<{ data: { id: string }[] }>('/candidates/search', {
    external_ids: ['registered'],
  });
  if (status === 'finalized') {
    await submit(api, made.id, {
      candidate: { external_id: 'done' },
      answers: [{ question_label: '2', option_labels: ['B'] }],
    });
    await api.post(`/exams/${made.id}/finalize`, { all_graded: true });
  }
  if (status === 'deleted') await api.delete(`/exams/${made.id}`);
  const exam = await read(made.id);
  expect(exam.status).toBe(status);
  return { api, exam, candidateId: body.data[0]?.id ?? '' };
};

/** Changes that a status refuses. A deleted exam refuses all of them. */
const REFUSED: Record<Exclude<ExamStatus, 'deleted'>, Partial<Record<ExamChange, ErrorCode>>> = {
  draft: { submit: 'exam_not_open', finalize: 'conflict' },
  open: { restructure: 'conflict', change_scheme: 'conflict' },
  finalized: {
    edit: 'exam_finalized',
    restructure: 'exam_finalized',
    change_scheme: 'exam_finalized',
    edit_texts: 'exam_finalized',
    register: 'exam_finalized',
    unregister: 'exam_finalized',
    open: 'exam_finalized',
    delete: 'exam_finalized',
  },
};

describe.each<ExamStatus>(['draft', 'open', 'finalized', 'deleted'])('%s', (status) => {
  const rows = Object.entries(calls).flatMap(([change, requests]) =>
    Object.entries(requests).map(([name, call]) => {
      const refusal =
        status === 'deleted' ? 'exam_not_found' : (REFUSED[status][change as ExamChange] ?? null);
      return { name, call, refusal, outcome: refusal ?? 'is allowed' };
    }),
  );

  test.each(rows)('$name: $outcome', async ({ call, refusal }) => {
    const context = await examIn(status);
    const answer = await call(context);
    if (refusal === null) {
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: expect.any(Number) });
      expect(answer.status).toBeLessThan(300);
      return;
    }
    expectError(answer, errors[refusal].status, refusal);
    expect(await read(context.exam.id)).toEqual(context.exam);
  });
});

describe('deleted', () => {
  test.each(['questions', 'rubrics', 'candidates'])(
    'GET /exams/{id}/%s answers exam_not_found, while GET /exams/{id} answers the exam',
    async (under) => {
      const { exam } = await examIn('deleted');
      expectError(await tenant.api.get(`/exams/${exam.id}/${under}`), 404, 'exam_not_found');
      expect(await tenant.api.get(`/exams/${exam.id}`)).toMatchObject({ status: 200, body: exam });
    },
  );
});
