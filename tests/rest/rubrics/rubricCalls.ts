import type { Tenant } from '../../harness/tenant.ts';
import { expect } from 'vitest';
import type {
  Exam,
  QuestionInput,
  Rubric,
  RubricList,
  RubricsEdited,
} from '@evaluation/rest-contract/schemas';
import { createExam, type Answer, type ErrorBody } from '../../harness/api.ts';
import { typedExam } from '../../harness/papers.ts';
import { expectError, expectOk } from '../../harness/tenant.ts';

export const rubricOf = (name: string, marks = 2): Rubric => ({ criteria: [{ name, marks }] });

/** Calls on the rubrics of an exam by one tenant. A refused call must change neither rubrics nor exam. */
export const rubricCalls = (tenant: Tenant) => {
  const newExam = (questions: QuestionInput[], open = true): Promise<Exam> =>
    createExam(tenant.api, { ...typedExam(questions), open });
  const readExam = async (id: string): Promise<Exam> => (await tenant.api.get<Exam>(`/exams/${id}`)).body;
  const read = async (examId: string): Promise<RubricList> =>
    expectOk(await tenant.api.get<RubricList>(`/exams/${examId}/rubrics`));
  const idOf = (exam: Exam, label: string): string =>
    exam.questions.find((question) => question.label === label)?.id ?? '';
  const patch = <T = ErrorBody>(examId: string, questions: unknown, ifMatch?: string): Promise<Answer<T>> =>
    tenant.api.patch<T>(
      `/exams/${examId}/rubrics`,
      { questions },
      ifMatch === undefined ? {} : { 'if-match': ifMatch },
    );
  const edit = async (examId: string, questions: object, ifMatch?: string): Promise<RubricsEdited> =>
    expectOk(await patch<RubricsEdited>(examId, questions, ifMatch));
  const refused = async (
    examId: string,
    call: () => Promise<Answer<ErrorBody>>,
    status: number,
    code: string,
  ): Promise<ErrorBody['error']> => {
    const before = [await read(examId), await readExam(examId)];
    const error = expectError(await call(), status, code);
    expect([await read(examId), await readExam(examId)]).toEqual(before);
    return error;
  };
  return { newExam, readExam, read, idOf, patch, edit, refused };
};
