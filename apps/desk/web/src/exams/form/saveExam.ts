import { client } from '../../app/calls.ts';
import { failureIn } from '../../app/failures.ts';
import type { ExamDraft } from './draft.ts';
import { NO_PROBLEMS, problemsIn, type Problems } from './problems.ts';
import { examEdit, questionBody, questionEdit } from './requests.ts';

/**
 * Saves what has changed in a stored exam: the exam first, then each question. The steps are separate requests; after a
 * failure the form is compared with what is stored then, so a second attempt sends only the rest.
 * @returns problems of fields, if the API refused a step
 * @throws the error of a step that was refused for another reason
 */
export const saveExam = async (examId: string, before: ExamDraft, after: ExamDraft): Promise<Problems> => {
  const removed = before.questions.filter(({ id }) =>
    after.questions.every((question) => question.id !== id),
  );
  const added = after.questions.flatMap((question, index) =>
    question.id === null ? [{ question, index }] : [],
  );
  const edit = examEdit(before, after);
  if (edit !== null) {
    const problems = await problemsOf(client.exams.edit.mutate({ exam_id: examId, body: edit }));
    if (problems.size > 0) return problems;
  }
  for (const { id } of removed)
    if (id !== null) await client.questions.delete.mutate({ exam_id: examId, question_id: id });
  for (const [index, question] of after.questions.entries()) {
    const stored = before.questions.find(({ id }) => id !== null && id === question.id);
    const change = stored === undefined ? null : questionEdit(stored, question);
    if (stored?.id == null || change === null) continue;
    const call = client.questions.edit.mutate({ exam_id: examId, question_id: stored.id, body: change });
    const problems = await problemsOf(call, () => `questions[${index}]`);
    if (problems.size > 0) return problems;
  }
  if (added.length === 0) return NO_PROBLEMS;
  const body = { questions: added.map(({ question }) => questionBody(question)) };
  const problems = await problemsOf(client.questions.add.mutate({ exam_id: examId, body }));
  // The request numbers the new questions only.
  return new Map(
    [...problems].map(([field, message]) => [
      field.replace(
        /^questions\[(\d+)\]/,
        (_all, at: string) => `questions[${added[Number(at)]?.index ?? at}]`,
      ),
      message,
    ]),
  );
};

const problemsOf = async (call: Promise<unknown>, at: () => string = () => ''): Promise<Problems> => {
  try {
    await call;
    return NO_PROBLEMS;
  } catch (error) {
    const problems = problemsIn(failureIn(error)?.details, at());
    if (problems.size === 0) throw error;
    return problems;
  }
};
