import pLimit from 'p-limit';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeQuestion } from '../run/judgeQuestion.ts';
import { countUsage } from '../run/usage.ts';

/** Typed lane: judges the long answers; the objective ones were marked by their key when they came (spec 4.7). */
export const gradeTyped = async (tools: Tools, run: HeldRun): Promise<void> => {
  const usage = countUsage();
  const questions = new Map(run.material.questions.map((question) => [question.id, question]));
  await run.write((grading, held) => grading.recordStep.mutate({ held, step: 'grading' }));
  const limit = pLimit(tools.settings.concurrency.questions);
  await limit.map(run.material.answers, async ({ question_id, text }) => {
    const question = questions.get(question_id);
    if (question === undefined)
      throw new Error(`run ${run.material.run_id}: an answer to a question that is not on its paper`);
    await judgeQuestion(tools, run, usage, question, { text, legibility: null, blocks: [] });
  });
  await run.write((grading, held) =>
    grading.complete.mutate({
      held,
      completion: {
        checked_copy: null,
        review_reasons: [],
        grader: { provider: tools.grader.provider, model: tools.grader.model },
        usage: usage.total(),
      },
    }),
  );
};
