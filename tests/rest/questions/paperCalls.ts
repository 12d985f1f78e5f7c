import type { Tenant } from '../../harness/tenant.ts';
import { expect } from 'vitest';
import type {
  Exam,
  Question,
  QuestionEdited,
  QuestionInput,
  QuestionList,
  QuestionsAdded,
  RubricList,
} from '@evaluation/rest-contract/schemas';
import { createExam, type Answer, type ErrorBody } from '../../harness/api.ts';
import { longAnswer, mcq, numeric, oneWord, trueFalse, typedExam } from '../../harness/papers.ts';
import { expectError, expectOk } from '../../harness/tenant.ts';

export const everyType: QuestionInput[] = [
  mcq('1', { negative_marks: 0.25, section: 'Objective' }),
  mcq('2', { type: 'mcq_multi', correct_options: ['C', 'A'] }),
  trueFalse('3'),
  numeric('4', { answer: 24.5 }),
  numeric('5', { answer: ' 24.50 ' }),
  numeric('6', { answer: [24, '24.0', -3] }),
  oneWord('7', { answer: 'Insulin' }),
  longAnswer('8', {
    section: 'Essays',
    parent_label: '7',
    word_limit: 250,
    expects_diagram: true,
    assess_language: false,
    tags: { topic: ['cells', { depth: 2 }], weight: 1.5, none: null },
    external_id: 'Q 8',
    rubric: {
      partial_marking: true,
      criteria: [
        { name: 'Idea', marks: 1.25, keywords: ['cell', 'wall'], guidance: 'if x < y' },
        { name: 'Proof', marks: 0.75 },
      ],
    },
  }),
  longAnswer('9', { model_answer: null, text: 'Explain <b> & "why" …' }),
];

/** Calls on the paper of an exam by one tenant. A refused call must not change exam, questions or rubrics. */
export const paperCalls = (tenant: Tenant) => {
  const draft = (questions: QuestionInput[], change: object = {}): Promise<Exam> =>
    createExam(tenant.api, { ...typedExam(questions), open: false, ...change });
  const opened = (questions: QuestionInput[], change: object = {}): Promise<Exam> =>
    createExam(tenant.api, { ...typedExam(questions), ...change });
  const readExam = async (id: string): Promise<Exam> => (await tenant.api.get<Exam>(`/exams/${id}`)).body;
  const list = async (examId: string, query = '?include=rubric,model_answer'): Promise<Question[]> =>
    expectOk(await tenant.api.get<QuestionList>(`/exams/${examId}/questions${query}`)).questions;
  const add = async (examId: string, questions: object[]): Promise<QuestionsAdded> =>
    expectOk(await tenant.api.post<QuestionsAdded>(`/exams/${examId}/questions`, { questions }), 201);
  const edit = async (examId: string, questionId: string, change: object): Promise<QuestionEdited> => {
    const path = `/exams/${examId}/questions/${questionId}`;
    return expectOk(await tenant.api.patch<QuestionEdited>(path, change));
  };
  const remove = async (examId: string, questionId: string): Promise<object> =>
    expectOk(await tenant.api.delete<object>(`/exams/${examId}/questions/${questionId}`));
  const idOf = (exam: Exam, label: string): string =>
    exam.questions.find((question) => question.label === label)?.id ?? '';

  const examState = async (examId: string): Promise<object> => ({
    exam: await readExam(examId),
    questions: await list(examId),
    rubrics: (await tenant.api.get<RubricList>(`/exams/${examId}/rubrics`)).body,
  });
  const refused = async (
    examId: string,
    call: () => Promise<Answer<ErrorBody>>,
    status: number,
    code: string,
  ): Promise<ErrorBody['error']> => {
    const before = await examState(examId);
    const error = expectError(await call(), status, code);
    expect(await examState(examId)).toEqual(before);
    return error;
  };
  const refusedAdd = (examId: string, questions: object[], status = 422, code = 'validation_failed') =>
    refused(examId, () => tenant.api.post(`/exams/${examId}/questions`, { questions }), status, code);
  const refusedEdit = (
    examId: string,
    questionId: string,
    change: unknown,
    status = 422,
    code = 'validation_failed',
  ) =>
    refused(examId, () => tenant.api.patch(`/exams/${examId}/questions/${questionId}`, change), status, code);
  return {
    draft,
    opened,
    readExam,
    list,
    add,
    edit,
    remove,
    idOf,
    examState,
    refused,
    refusedAdd,
    refusedEdit,
  };
};
