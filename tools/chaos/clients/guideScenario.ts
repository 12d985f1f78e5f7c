import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { coreOverHttp, type CoreClient } from '@evaluation/core-client';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { staffActor } from '@evaluation/platform/signed-actor';
import { typedExam } from '../../../tests/harness/papers.ts';
import { PAPER } from '../model/truth.ts';
import type { Scenario } from './scenarios.ts';
import { marksIn, type ScenarioSteps } from './scenarioSteps.ts';

interface StaffAccess {
  coreUrl: string;
  token: string;
  actorSigningKey: string;
}

const SUBMISSIONS = 4;
const TEACHER_MARK = 1;
const TRIES = 60;
const PAUSE_MS = 500;

/**
 * A teacher marks two answers, applies the guide and undoes it: the teacher's marks stay, and all other marks are
 * those from before. Each scenario has an exam of its own, since an application concerns the whole exam.
 */
export const guideScenario =
  (access: StaffAccess): Scenario =>
  async (steps) => {
    const exam = await steps.client.post<Exam>('/exams', { ...typedExam(PAPER), open: true });
    steps.expectStatus('create an exam', exam, 201);
    const ids: string[] = [];
    for (let index = 0; index < SUBMISSIONS; index += 1)
      ids.push((await steps.submit(exam.body.id, { candidate: randomUUID() })).id);
    for (const id of ids) await steps.untilGraded(id);
    const byTeacher = ids.slice(0, 2);
    for (const id of byTeacher) await markAsTeacher(steps, id);

    const core = coreOverHttp({
      url: access.coreUrl,
      token: access.token,
      actorSigningKey: access.actorSigningKey,
    });
    try {
      await applyAndUndo(steps, exam.body.id, byTeacher, (call) =>
        untilAnswered(() => call(guideOf(core, steps.book.instituteId))),
      );
    } finally {
      await core.close();
    }
    for (const id of ids) await steps.expectMarks(id);
  };

type Guide = CoreClient['public']['guide'];

const applyAndUndo = async (
  steps: ScenarioSteps,
  examId: string,
  byTeacher: readonly string[],
  answered: <T>(call: (guide: Guide) => Promise<T>) => Promise<T>,
): Promise<void> => {
  const exam_id = examId;
  await answered((guide) => guide.set.mutate({ exam_id, mode: 'apply' }));
  let preview = await answered((guide) => guide.preview.mutate({ exam_id }));
  while (preview.step === 'previewing') {
    const { number } = preview;
    preview = await answered((guide) => guide.preview.mutate({ exam_id, number }));
  }
  const { number } = preview;
  for (let step = ''; step !== 'applied';)
    ({ step } = await answered((guide) => guide.applyPreview.mutate({ exam_id, number })));
  for (const id of byTeacher) await steps.expectMarks(id);
  for (let step = ''; step !== 'undone';)
    ({ step } = await answered((guide) => guide.undo.mutate({ exam_id, number })));
};

const markAsTeacher = async (steps: ScenarioSteps, submissionId: string): Promise<void> => {
  const result = await steps.expectMarks(submissionId);
  const marks = marksIn(result);
  for (const { question_id, label } of result.questions.slice(1)) {
    const path = `/submissions/${submissionId}/questions/${question_id}`;
    const reply = await steps.client.patch(path, { reviewer: 'teacher', awarded: TEACHER_MARK });
    steps.expectStatus('override', reply, 200);
    marks[label] = TEACHER_MARK;
  }
  steps.book.marks.set(submissionId, marks);
};

const guideOf = (core: ReturnType<typeof coreOverHttp>, institute_id: string): Guide =>
  core.as({
    actor: staffActor({
      institute_id,
      staff_id: randomUUID(),
      role: 'admin',
      scopes: ['evaluation:review'],
    }),
  }).public.guide;

/** Every guide call may be repeated. A refusal of core has a code and is not repeated. */
const untilAnswered = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || isRefusal(error)) throw error;
      await wait(PAUSE_MS);
    }
  }
};

const REFUSALS = new Set(['BAD_REQUEST', 'FORBIDDEN', 'UNAUTHORIZED', 'NOT_FOUND', 'CONFLICT']);

const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof Error && 'data' in error)) return false;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'code' in data && REFUSALS.has(String(data.code));
};
