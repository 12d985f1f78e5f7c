import pLimit from 'p-limit';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeQuestion } from '../run/judgeQuestion.ts';
import { withRubric } from '../run/rubrics.ts';
import type { UsageCount } from '../run/usage.ts';

/** Of one run, at once in batches: its long answers as a rule. Each holds its prompt in memory. */
const IN_BATCHES = 20;

/** Typed lane: judges the long answers; the objective ones were marked by their key when they came (docs/api/submissions.md#submit). */
export const gradeTyped = async (tools: Tools, run: HeldRun, usage: UsageCount): Promise<void> => {
  const questions = new Map(run.material.questions.map((question) => [question.id, question]));
  await run.write((grading, held) => grading.recordStep.mutate({ held, step: 'grading' }));
  const { concurrency, batches } = tools.settings;
  // A question that waits for a batch waits beside the others: one after the other they would take hours each.
  const limit = pLimit(
    batches === null ? concurrency.questions : Math.max(concurrency.questions, IN_BATCHES),
  );
  await limit.map(run.material.answers, async ({ question_id, text }) => {
    const question = questions.get(question_id);
    if (question === undefined)
      throw new Error(`run ${run.material.run_id}: an answer to a question that is not on its paper`);
    const marked = await withRubric(tools, run, usage, question);
    await judgeQuestion(tools, run, usage, marked, { text, legibility: null, blocks: [] });
  });
  await run.write((grading, held) =>
    grading.complete.mutate({
      held,
      completion: {
        checked_copy: null,
        review_reasons: [],
        ...usage.sofar(),
      },
    }),
  );
};
